#include "analysis/import/phd_import.h"

#include <doctest/doctest.h>

#include <optional>

#include "analysis/import/import_failure.h"
#include "analysis/import/phd_fixture.h"
#include "analysis/lab/random.h"
#include "common/tries_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

std::unique_ptr<ImportedHeap> read(const Bytes& bytes, ImportOptions options = {}) {
  options.keep_addresses = true;
  auto heap = import_phd(bytes, options);
  REQUIRE(verify(heap->snapshot).ok());
  REQUIRE(heap->addresses.size() == heap->snapshot.object_count());
  return heap;
}

std::optional<ImportFailure> failure_of(const Bytes& bytes, const ImportOptions& options = {}) {
  try {
    import_phd(bytes, options);
  } catch (const ImportFailure& failure) {
    return failure;
  }
  return {};
}

std::string name_of(const ImportedHeap& heap, std::uint32_t v) {
  return std::string(heap.snapshot.catalog.class_name(heap.snapshot.class_of[v]));
}

PhdWriter::Addresses row(const ImportedHeap& heap, std::uint32_t v) {
  PhdWriter::Addresses to;
  for (auto i = heap.snapshot.first_ref[v]; i < heap.snapshot.first_ref[v + 1]; ++i)
    to.push_back(heap.addresses[heap.snapshot.target[i].value]);
  return to;
}

void check_example(const ImportedHeap& heap, bool told_sizes) {
  const Snapshot& s = heap.snapshot;
  REQUIRE(s.object_count() == 12);
  const char* const names[] = {"java.lang.String",   "java.lang.String", "char[]",
                               "shop.Order",         "shop.Order",       "java.lang.String",
                               "java.lang.String[]", "long[]",           "byte[]",
                               "java.lang.Class",    "java.lang.Class",  "java.lang.Class"};
  for (std::uint32_t v = 0; v < 12; ++v) CHECK(name_of(heap, v) == names[v]);
  const std::uint64_t sizes[] = {16, 16, 32, 24, 24, 16, 40, 40, 328, 0, 0, 0};
  for (std::uint32_t v = 0; v < 12; ++v)
    if (told_sizes || v < 2 || (v > 2 && v < 6)) CHECK(s.shallow_bytes(ObjectId{v}) == sizes[v]);
  CHECK(row(heap, 0) == PhdWriter::Addresses{0x1020});
  CHECK(row(heap, 1) == PhdWriter::Addresses{0x1020, 0x1000});
  CHECK(row(heap, 3) == PhdWriter::Addresses{0x1000, 0x1010, 0x1080});
  CHECK(row(heap, 6) == PhdWriter::Addresses{0x1000});
  CHECK(row(heap, 9) == PhdWriter::Addresses{0x9200});  // its superclass
  CHECK(row(heap, 10) == PhdWriter::Addresses{0x1040, 0x9200});
  CHECK(row(heap, 11).empty());
  CHECK(s.implied_class_object(ObjectId{0}) == ObjectId{9});
  CHECK(s.implied_class_object(ObjectId{3}) == ObjectId{10});
  CHECK_FALSE(s.implied_class_object(ObjectId{2}).valid());
  CHECK(heap.losses.empty());
  CHECK(s.losses.references_to_unknown == 0);
  CHECK(s.losses.objects_unknown_class == 0);
  CHECK(std::string(heap.record.vm.vm_version) == "J9 VM 2.9");
  // 0x1040 is held by its own class: a cycle, but its other instance is a pure root that refers to that class.
  std::vector<std::uint32_t> roots;
  for (const RootRecord& root : s.roots) roots.push_back(root.object.value);
  CHECK(roots == std::vector<std::uint32_t>{4, 5, 7, 8});
}

}  // namespace

TEST_CASE("every record in every form, for every kind of VM") {
  for (const std::uint32_t version : {4u, 5u, 6u})
    for (int variant = 0; variant < 8; ++variant) {
      CAPTURE(version);
      CAPTURE(variant);
      PhdWriter writer;
      writer.version = version;
      writer.wide = (variant & 1) != 0;
      writer.all_hashed = (variant & 2) != 0;
      writer.j9 = (variant & 4) != 0;
      writer.example();
      check_example(*read(writer.bytes()), version == 6);
    }
}

TEST_CASE("before version 6 sizes of arrays are those of their VMs") {
  PhdWriter writer;
  writer.version = 5;
  writer.example();
  const auto heap = read(writer.bytes());
  CHECK(heap->snapshot.shallow_bytes(ObjectId{2}) == 32);          // 24 + 3 * 2, aligned
  CHECK(heap->snapshot.shallow_bytes(ObjectId{6}) == 24 + 2 * 8);  // length 2, one null
  CHECK(heap->snapshot.shallow_bytes(ObjectId{8}) == 328);         // 24 + 300, aligned
}

TEST_CASE("J9 may list the class of an object as its first reference: it is implied already") {
  PhdWriter writer;
  writer.header("x");
  writer.medium_object(0x1000, 0x9000, {0x9000, 0x1000, 0x9000}, 1, 2);
  writer.class_record(0x9000, "A", 0, 8, {}, 2, 0);
  writer.end();
  CHECK(row(*read(writer.bytes()), 0) == PhdWriter::Addresses{0x1000, 0x9000});
}

TEST_CASE("what is missing is counted") {
  PhdWriter writer;
  writer.header("x");
  writer.medium_object(0x1000, 0x7777000, {0x2000}, 1, 2);  // no such class, no such object
  writer.medium_object(0x1000, 0x9000, {}, 0, 0);           // again
  writer.class_record(0x9000, "A", 0x8000, 8, {}, 2, 0);    // no such superclass
  writer.end();
  const auto heap = read(writer.bytes());
  CHECK(heap->snapshot.losses.objects_unknown_class == 1);
  CHECK(heap->snapshot.losses.references_to_unknown == 2);
  REQUIRE(heap->losses.size() == 1);
  CHECK(heap->losses[0].find("1 objects repeat") != std::string::npos);
}

TEST_CASE("a dump that is cut or damaged gives its front and says so") {
  PhdWriter writer;
  writer.example();
  const Bytes whole = writer.bytes();
  std::uint32_t most = 0;
  for (std::size_t size = 20; size < whole.size(); ++size) {
    CAPTURE(size);
    const Bytes front(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    if (const auto failed = failure_of(front)) {
      CHECK(failed->code == ErrorCode::kDamaged);
      CHECK(most == 0);
      continue;
    }
    const auto heap = read(front);
    CHECK(heap->snapshot.object_count() >= most);
    most = heap->snapshot.object_count();
    REQUIRE(heap->losses.size() == 1);
    CHECK(heap->losses[0].find("the dump is cut at offset") == 0);
  }
  CHECK(most == 12);
  Bytes damaged = whole;
  damaged.back() = std::byte{9};
  CHECK(read(damaged)->losses[0].find("is damaged at offset " + std::to_string(whole.size() - 1)) !=
        std::string::npos);
  damaged = whole;
  damaged[23] = std::byte{7};
  CHECK(failure_of(damaged)->code == ErrorCode::kNewerVersion);
  CHECK(failure_of(bytes_of("portable"))->code == ErrorCode::kNotOurs);
  ImportOptions options;
  options.like_mat = true;
  CHECK(failure_of(whole, options)->code == ErrorCode::kRefused);
}

TEST_CASE("the memory limit holds, and reading can be cancelled") {
  PhdWriter writer;
  writer.example();
  std::size_t refused = 0;
  for (std::uint64_t limit = 0; limit <= (std::uint64_t{40} << 20); limit += 2 << 20) {
    ImportOptions options;
    options.memory_limit_bytes = limit;
    if (const auto failed = failure_of(writer.bytes(), options)) {
      CHECK(failed->code == ErrorCode::kOutOfBudget);
      ++refused;
    } else {
      CHECK(read(writer.bytes(), options)->ledger().peak_bytes() <= limit);
    }
  }
  CHECK(refused > 0);
  CHECK(refused < 20);
  for (const std::string pass : {"finding objects", "reading references"}) {
    ImportOptions options;
    options.progress = [&](const char* now, std::uint64_t, std::uint64_t) { return now != pass; };
    CHECK(failure_of(writer.bytes(), options)->code == ErrorCode::kCancelled);
  }
}

TEST_CASE("random dumps: every address and reference, whatever form it was written in") {
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    CAPTURE(seed);
    lab::Random random(seed);
    PhdWriter writer;
    writer.wide = random.chance(50);
    writer.all_hashed = random.chance(50);
    writer.header("x");
    const std::uint32_t objects = 1 + random.below(80);
    std::vector<PhdWriter::Addresses> rows(objects);
    const auto address = [](std::uint32_t v) { return 0x10000 + 8 * std::uint64_t{v}; };
    for (std::uint32_t v = 0; v < objects; ++v) {
      for (std::uint32_t i = random.below(8); i > 0; --i)
        rows[v].push_back(address(random.below(objects)));
      const unsigned code = 1 + random.below(3);
      if (random.chance(50))
        writer.long_object(address(v), 0x9000, rows[v], 2 + random.below(2), code,
                           random.chance(30));
      else if (random.chance(50) && v > 0)
        writer.medium_object(address(v), 0x9000, rows[v], 1, code);
      else
        writer.object_array(address(v), 0x9000, rows[v], 2, code, 9, 64, random.chance(30));
    }
    writer.class_record(0x9000, "A", 0, 24, {}, 3, 0);
    writer.end();
    const auto heap = read(writer.bytes());
    REQUIRE(heap->snapshot.object_count() == objects + 1);
    CHECK(heap->losses.empty());
    for (std::uint32_t v = 0; v < objects; ++v) {
      CHECK(heap->addresses[v] == address(v));
      CHECK(row(*heap, v) == rows[v]);
    }
  }
}

TEST_CASE("import_heap reads PHD, also packed") {
  PhdWriter writer;
  writer.example();
  const platforms::ScratchDirectory scratch;
  write_bytes(scratch.file("a.phd.gz"), gzip_member(writer.bytes()));
  const auto heap = import_heap(scratch.file("a.phd.gz"), {});
  CHECK(heap->snapshot.object_count() == 12);
  CHECK(heap->format == "IBM portable heap dump 6, packed with gzip");
}
