// For tests only: small random snapshots with everything in them that a file has to keep, and files in memory.
// Shape:  vectors own what the spans point to.   Zone: tests.   Errors: aborts.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "analysis/lab/random.h"
#include "analysis/snapshot_file/snapshot_writer.h"
#include "common/reservation.h"

namespace holdfast::analysis {

// Readers of every version know these; the seeds of old versions were made with them.
inline constexpr std::uint32_t kKindsOfAllVersions = 9;

struct SnapshotFixture {
  SnapshotFixture(std::uint64_t seed, std::uint32_t object_count, std::uint32_t class_count = 5)
      : random(seed) {
    must(reservation.open(kArenaBytes + kNamesBytes).ok());
    auto names = reservation.take_arena(kNamesBytes, ledger, MemoryCategory::kCatalog);
    auto work = reservation.take_arena(kArenaBytes, ledger, MemoryCategory::kAnalysis);
    must(names.ok() && work.ok());
    names_arena = std::move(*names);
    arena = std::move(*work);
    auto table = StringTable::make(names_arena, 4 * class_count + 64, 200 * class_count + 4096);
    must(table.ok());
    snapshot.catalog.strings = *table;
    fill_catalog(class_count, object_count);
    fill_graph(class_count, object_count);
    fill_roots(object_count);
    must(verify(snapshot).ok());
    std::strcpy(record.vm.vm_name, "Test VM");
    std::strcpy(record.host, "web1");
    record.pid = 4242;
    record.started_utc_ms = 1'700'000'000'000;
    snapshot.losses = {1, 2, 3, 4};
    fill_extras(object_count);
  }
  SnapshotFixture(const SnapshotFixture&) = delete;
  SnapshotFixture& operator=(const SnapshotFixture&) = delete;

  static void must(bool good) {
    if (!good) std::abort();
  }
  StringId name(const char* stem, std::uint32_t number) {
    return snapshot.catalog.strings.intern(stem + std::to_string(number));
  }

  void fill_catalog(std::uint32_t class_count, std::uint32_t objects) {
    for (std::uint32_t c = 0; c < class_count; ++c) {
      ClassRow row;
      row.name = name("shop.Class", c);
      row.loader = LoaderId{c % 2};
      if (c > 0) row.superclass = ClassId{random.below(c)};
      if (random.chance(80) && objects > 0) row.mirror = ObjectId{random.below(objects)};
      row.first_field = static_cast<std::uint32_t>(fields.size());
      row.field_count = random.below(4);
      row.chain_offset = random.below(300);
      row.interface_field_count = random.below(2);
      row.referent = static_cast<Strength>(random.below(5));
      row.flags = static_cast<std::uint8_t>(random.below(64));
      for (std::uint32_t i = 0; i < row.field_count; ++i)
        fields.push_back(name("field", random.below(class_count)));
      classes.push_back(row);
    }
    loaders = {{StringId{0}, ObjectId{}, true},
               {name("app", 0), objects > 0 ? ObjectId{0} : ObjectId{}, false}};
    threads = {{name("main", 0), ObjectId{}, 0xFFFFFFFFFFFFFFFFu, false},
               {name("daemon", 1), ObjectId{}, 7, true}};
    methods = {{name("shop.Main", 0), name("main", 0)}, {name("shop.Main", 0), name("run", 0)}};
    snapshot.catalog.classes = classes;
    snapshot.catalog.loaders = loaders;
    snapshot.catalog.fields = fields;
    snapshot.catalog.threads = threads;
    snapshot.catalog.methods = methods;
  }

  void fill_graph(std::uint32_t class_count, std::uint32_t objects) {
    first_ref.push_back(0);
    for (std::uint32_t v = 0; v < objects; ++v) {
      class_of.push_back(random.chance(2) ? ClassId{} : ClassId{random.below(class_count)});
      units.push_back(random.chance(5) ? static_cast<std::uint32_t>(random.next())
                                       : 2 + random.below(3));
      const std::uint32_t degree = random.chance(1) ? random.below(400) : random.below(5);
      for (std::uint32_t i = 0; i < degree; ++i) {
        target.push_back(
            ObjectId{random.chance(50) ? (v + random.below(9)) % objects : random.below(objects)});
        label.push_back(random.chance(80) ? RefLabel::instance_field(i)
                                          : RefLabel{static_cast<std::uint16_t>(random.next())});
      }
      first_ref.push_back(static_cast<std::uint32_t>(target.size()));
    }
    snapshot.class_of = class_of;
    snapshot.shallow_units = units;
    snapshot.first_ref = first_ref;
    snapshot.target = target;
    snapshot.label = label;
  }

  void fill_roots(std::uint32_t objects) {
    for (std::uint32_t i = 0; i < 20 && objects > 0; ++i) {
      RootRecord root;
      root.object = ObjectId{random.below(objects)};
      if (random.chance(50)) root.thread = ThreadId{random.below(2)};
      if (random.chance(50)) root.method = MethodId{random.below(2)};
      root.location = static_cast<std::uint32_t>(random.next());
      root.depth = static_cast<std::uint16_t>(random.next());
      root.slot = static_cast<std::uint16_t>(random.next());
      root.kind = static_cast<RootKind>(random.below(kKindsOfAllVersions));
      roots.push_back(root);
    }
    snapshot.roots = roots;
  }

  // A report image of bytes that do not compress, and addresses: mostly one object behind the other.
  void fill_extras(std::uint32_t objects) {
    for (std::uint32_t i = 0; i < 600; ++i) report.push_back(static_cast<std::byte>(random.next()));
    std::uint64_t address = 0x7'0000'0000;
    for (std::uint32_t v = 0; v < objects; ++v) {
      addresses.push_back(address);
      address += (snapshot.shallow_bytes(ObjectId{v}) + 7) & ~std::uint64_t{7};
      if (random.chance(3)) address = random.next();
    }
    extras = {report, addresses};
  }

  Result<SnapshotFileInfo> write(const std::string& file_name) {
    return write_snapshot_file(snapshot, record, arena, cancel, ".", file_name.c_str(), extras);
  }
  // Written to disk, read back as bytes, removed.
  std::vector<std::byte> file() {
    const std::string path = "snapshot_fixture." + std::to_string(::getpid()) + ".hfs";
    must(write(path).ok());
    std::ifstream in(path, std::ios::binary);
    const std::vector<char> chars(std::istreambuf_iterator<char>(in), {});
    must(std::remove(path.c_str()) == 0);
    std::vector<std::byte> bytes(chars.size());
    std::memcpy(bytes.data(), chars.data(), chars.size());
    return bytes;
  }

  static constexpr std::size_t kArenaBytes = std::size_t{64} << 20;
  static constexpr std::size_t kNamesBytes = std::size_t{64} << 20;
  lab::Random random;
  Ledger ledger{kArenaBytes + kNamesBytes};
  Reservation reservation;
  Arena names_arena;
  Arena arena;
  CancelToken cancel;
  DumpRecord record;
  Snapshot snapshot;
  std::vector<ClassRow> classes;
  std::vector<LoaderRow> loaders;
  std::vector<StringId> fields;
  std::vector<ThreadRow> threads;
  std::vector<MethodRow> methods;
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> units;
  std::vector<std::uint32_t> first_ref;
  std::vector<ObjectId> target;
  std::vector<RefLabel> label;
  std::vector<RootRecord> roots;
  std::vector<std::byte> report;
  std::vector<std::uint64_t> addresses;
  SnapshotExtras extras;
};

}  // namespace holdfast::analysis
