#include "cli/export/hprof_export.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "analysis/dominators.h"
#include "analysis/import/hprof_import.h"
#include "analysis/lab/hprof_writer.h"
#include "analysis/lab/random_hprof.h"
#include "analysis/lab/sample_hprof.h"
#include "cli/export/hprof_bytes.h"
#include "cli/export/hprof_layout.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using namespace analysis;

// A dump that was read, with its dominators.
struct Heap {
  explicit Heap(std::span<const std::byte> file) {
    ImportOptions options;
    options.keep_addresses = true;
    heap = import_hprof(file, options);
    REQUIRE(verify(heap->snapshot));
    const auto references = CountedReferences::make(heap->snapshot, heap->arena(), cancel);
    REQUIRE(references);
    const auto found =
        compute_dominators(*references, holding_strengths(kRetainStrong), heap->arena(), cancel);
    REQUIRE(found);
    dominators = *found;
  }
  const Snapshot& snapshot() const { return heap->snapshot; }

  std::unique_ptr<ImportedHeap> heap;
  CancelToken cancel;
  Dominators dominators;
};

std::vector<std::byte> exported(const Snapshot& snapshot) {
  std::string out;
  write_hprof(snapshot, DumpRecord{}, [&](std::string_view bytes) { out += bytes; });
  const auto* data = reinterpret_cast<const std::byte*>(out.data());
  return {data, data + out.size()};
}

// Every object is there again, of its class, and with its dominator.
void check_round_trip(const Heap& before, bool dominators = true) {
  const Snapshot& s = before.snapshot();
  const Heap after(exported(s));
  const HprofLayout layout(s);
  std::map<std::uint64_t, std::uint32_t> at;
  for (std::uint32_t v = 0; v < after.snapshot().object_count(); ++v)
    at[after.heap->addresses[v]] = v;
  REQUIRE(at.size() >= s.object_count());
  const auto same = [&](std::uint32_t v) { return at.at(layout.address(v)); };
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    CAPTURE(v);
    REQUIRE(at.contains(layout.address(v)));
    const std::uint32_t w = same(v);
    if (s.class_of[v].valid())
      CHECK(after.snapshot().catalog.class_name(after.snapshot().class_of[w]) ==
            s.catalog.class_name(s.class_of[v]));
    if (!dominators) continue;
    const std::uint32_t idom = before.dominators.idom[v], idom_after = after.dominators.idom[w];
    if (idom == Dominators::kRoot || idom == ObjectId::kNoneValue)
      CHECK(idom_after == idom);
    else
      CHECK(idom_after == same(idom));
  }
}

// A snapshot whose sizes and references a test may change.
struct Changed {
  explicit Changed(const Snapshot& from)
      : snapshot(from),
        units(from.shallow_units.begin(), from.shallow_units.end()),
        first(from.first_ref.begin(), from.first_ref.end()),
        target(from.target.begin(), from.target.end()),
        label(from.label.begin(), from.label.end()) {
    point();
  }
  void point() {
    snapshot.shallow_units = units;
    snapshot.first_ref = first;
    snapshot.target = target;
    snapshot.label = label;
  }
  // The first object of a kind; element type 0: an array of references, or an instance.
  std::uint32_t first_of(bool array, std::uint8_t type) const {
    const HprofLayout layout(snapshot);
    for (std::uint32_t v = 0; v < snapshot.object_count(); ++v) {
      const std::uint32_t c = layout.class_index(v);
      if (c >= snapshot.catalog.class_count() || layout.class_of_mirror(v) != HprofLayout::kNone)
        continue;
      const ClassRow& row = snapshot.catalog.classes[c];
      if (((row.flags & kClassArray) != 0) == array && layout.element_type(c) == type &&
          (array || row.superclass.valid()))
        return v;
    }
    FAIL("no such object");
    return 0;
  }
  void resize(std::uint32_t v, std::uint64_t bytes) {
    units[v] = static_cast<std::uint32_t>(bytes / snapshot.shallow_unit_bytes);
  }
  // References that no field has a place for.
  void add_references(std::uint32_t v, std::uint32_t count) {
    const auto at = static_cast<std::ptrdiff_t>(first[v + 1]);
    target.insert(target.begin() + at, count, ObjectId{v});
    label.insert(label.begin() + at, count, RefLabel::element(0));
    for (std::size_t w = v + std::size_t{1}; w < first.size(); ++w) first[w] += count;
    point();
  }

  Snapshot snapshot;
  std::vector<std::uint32_t> units, first;
  std::vector<ObjectId> target;
  std::vector<RefLabel> label;
};

// Goes from record to record by their lengths, as a reader does.
struct RecordWalk {
  void take(std::string_view bytes) {
    largest_piece = std::max(largest_piece, bytes.size());
    total += bytes.size();
    while (!bytes.empty() && !lost) {
      if (left > 0) {
        const std::size_t some = std::min<std::uint64_t>(left, bytes.size());
        bytes.remove_prefix(some);
        left -= some;
        continue;
      }
      head += bytes.front();
      bytes.remove_prefix(1);
      if (head.size() == 9) begin_record();
    }
  }
  void begin_record() {
    for (std::size_t i = 5; i < 9; ++i) left = left << 8 | static_cast<unsigned char>(head[i]);
    last = head.front();
    lost = last == 0;  // no record begins so
    head.clear();
  }
  bool whole() const { return !lost && left == 0 && head.empty() && last == 0x2C; }

  std::uint64_t left = 31;  // the file's head
  std::string head;
  char last = 0;
  bool lost = false;
  std::size_t largest_piece = 0;
  std::uint64_t total = 0;
};

}  // namespace

TEST_CASE("hprof: class names as the VM writes them") {
  CHECK(binary_class_name("java.lang.String") == "java/lang/String");
  CHECK(binary_class_name("java.lang.String[][]") == "[[Ljava/lang/String;");
  CHECK(binary_class_name("int[]") == "[I");
  CHECK(binary_class_name("boolean[][]") == "[[Z");
  CHECK(binary_class_name("int") == "int");
  CHECK(binary_class_name("").empty());
}

TEST_CASE("hprof: what was written is read again, object by object") {
  check_round_trip(Heap(lab::sample_hprof(8, true)));
  check_round_trip(Heap(lab::sample_hprof(4, false)));
  check_round_trip(Heap(lab::large_hprof(5000, 1)));
}

TEST_CASE("hprof: possible stack slots are roots in frames, as locals are") {
  const Heap heap(lab::sample_hprof(8, true));
  Snapshot possible = heap.snapshot();
  std::vector<RootRecord> roots(possible.roots.begin(), possible.roots.end());
  std::size_t slots = 0;
  for (RootRecord& root : roots) {
    if (root.kind != RootKind::kStackLocal) continue;
    root.kind = RootKind::kPossibleStackSlot;
    ++slots;
  }
  REQUIRE(slots > 0);
  possible.roots = roots;
  CHECK(exported(possible) == exported(heap.snapshot()));
}

// Their roots are not compared: without one system class a reader takes all of the boot loader's for roots.
TEST_CASE("hprof: odd heaps are written whole") {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    check_round_trip(Heap(lab::random_hprof(seed)), false);
  }
}

TEST_CASE("hprof: arrays are as long as the bytes of a dump allow, and what is cut is counted") {
  const Heap heap(lab::sample_hprof(8, true));
  constexpr std::uint64_t kGiga = std::uint64_t{1} << 30;
  for (std::uint8_t type = 4; type <= 11; ++type) {
    Changed changed(heap.snapshot());
    const std::uint32_t bytes_each = analysis::hprof_type_bytes(type, 8);
    CAPTURE(type);
    bool there = false;
    for (std::uint32_t c = 0; c < changed.snapshot.catalog.class_count(); ++c)
      there = there || (HprofLayout(changed.snapshot).element_type(c) == type &&
                        std::ranges::count(changed.snapshot.class_of, ClassId{c}) > 0);
    if (!there) continue;
    const std::uint32_t v = changed.first_of(true, type);
    changed.resize(v, kGiga + 24);
    HprofLayout fits(changed.snapshot);
    CHECK(fits.array_length(v) >= kGiga / bytes_each);
    CHECK(!fits.array_is_cut(v));
    changed.resize(v, 5 * kGiga);
    HprofLayout cut(changed.snapshot);
    CHECK(std::uint64_t{cut.array_length(v)} * bytes_each <= 0xFFFFFFFF - 64);
    CHECK(cut.array_is_cut(v));
  }
}

TEST_CASE("hprof: the largest array has a segment of its own and is never whole in memory") {
  const Heap heap(lab::sample_hprof(8, true));
  Changed changed(heap.snapshot());
  changed.resize(changed.first_of(true, 0), std::uint64_t{5} << 30);
  RecordWalk walk;
  CHECK(write_hprof(changed.snapshot, DumpRecord{},
                    [&](std::string_view bytes) { walk.take(bytes); }) == 1);
  CHECK(walk.whole());
  CHECK(walk.total > 0xFFFFFFFF - 1000);
  CHECK(walk.largest_piece <= 2 * HprofBytes::kSegmentBytes);
}

TEST_CASE("hprof: the fields of one class stay countable") {
  const Heap heap(lab::sample_hprof(8, true));
  Changed changed(heap.snapshot());
  const std::uint32_t v = changed.first_of(false, 0);
  changed.add_references(v, 50'000);
  changed.resize(v, 2'000'000);
  const std::uint32_t c = HprofLayout(changed.snapshot).class_index(v);
  for (std::uint32_t w = 0; w < changed.snapshot.object_count(); ++w)
    if (changed.snapshot.class_of[w].value == c) changed.resize(w, 2'000'000);
  const HprofLayout layout(changed.snapshot);
  const HprofClassShape& shape = layout.shapes()[c];
  CHECK(shape.extra_references >= 50'000);
  CHECK(shape.longs > 0);
  CHECK(shape.fields.size() + shape.extra_references + shape.longs + shape.ints +
            (shape.referent ? 1 : 0) <=
        0xFFFF);
}
