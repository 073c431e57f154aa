#include "clrprofiler/coreclr/object_runs.h"

#include <doctest/doctest.h>

#include <vector>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_method_table.h"
#include "clrprofiler/coreclr/object_references.h"
#include "clrprofiler/heap/fake_recording.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct Bench {
  FakeCollector fake;
  RuntimeLayout layout;
  FakeRecording recorded;
  FakeMethodTable free_class{FakeMethodTable::kComponents | 1, 24};
  FakeMethodTable order{
      FakeMethodTable::kReferences, 32, {1, 16, static_cast<std::uint64_t>(-16)}};  // two at 16
  FakeMethodTable bytes{FakeMethodTable::kComponents | 1, 24};

  Bench() {
    FakeMethodTable::lay_out(layout);
    layout.free_class = free_class.address();
    REQUIRE(read_gc_tables(&fake.entries, layout.gc) == nullptr);
  }
  Arena& arena() { return recorded.memory().work_arena(); }
  Result<std::span<HeapSegment>> segments(std::span<const AddressRange> frozen = {}) {
    return read_segments(layout.gc, frozen, arena());
  }
  // Bytes of each object that is met.
  Result<std::vector<std::uint64_t>> walk(std::span<const AddressRange> gaps = {}) {
    std::vector<std::uint64_t> met;
    HF_TRY(found, segments());
    for (const HeapSegment& segment : found)
      HF_CHECK_OK(for_each_object(layout, segment, gaps, [&](Address, Address, std::uint64_t size) {
        met.push_back(size);
      }));
    return met;
  }
};

}  // namespace

TEST_CASE(
    "objects stand one behind the other; free ones and marks of a collector are seen through") {
  Bench bench;
  const std::uint64_t order = bench.order.address(), bytes = bench.bytes.address(),
                      unused = bench.free_class.address();
  bench.fake.add(2, {order, 0, 0, 0, bytes | 1, 5, 0, 0, unused, 8, 0, 0, order, 0, 0, 0});
  bench.fake.add(0, {bytes, 0, 0});
  const auto met = bench.walk();
  REQUIRE(met.ok());
  std::vector<std::uint64_t> sorted = *met;
  std::sort(sorted.begin(), sorted.end());
  CHECK(sorted == std::vector<std::uint64_t>{24, 29, 32, 32});
}

TEST_CASE("no object is looked for where a thread has room for the next ones") {
  Bench bench;
  const std::uint64_t order = bench.order.address();
  const FakeCollector::Segment& segment =
      bench.fake.add(0, {order, 0, 0, 0, 11, 12, 13, 14, 15, order, 0, 0, 0});
  const AddressRange room{segment.memory + 32, segment.memory + 72};
  const auto met = bench.walk({&room, 1});
  REQUIRE(met.ok());
  CHECK(met->size() == 2);
  bench.fake.memory.back()[4] = 0;
  CHECK(bench.walk().error().code == ErrorCode::kInconsistent);
}

TEST_CASE("an object that passes its segment's end is none") {
  Bench bench;
  bench.fake.add(0, {bench.bytes.address(), 100, 0, 0});
  CHECK(bench.walk().error().code == ErrorCode::kInconsistent);
}

TEST_CASE("segments: in order, each once, ends by their kind") {
  Bench bench;
  const std::vector<std::uint64_t> room(16, 0);
  FakeCollector::Segment& young = bench.fake.add(0, room);
  FakeCollector::Segment& frozen = bench.fake.add(2, room);
  FakeCollector::Segment& empty = bench.fake.add(3, room);
  empty.allocated = empty.memory;
  bench.fake.ephemeral = address_of(young);
  bench.fake.alloc_allocated = young.memory + 24;
  frozen.flags = 1;
  const AddressRange told{frozen.memory, frozen.memory + 48};
  // With segments in the place of regions one stands under several generations.
  bench.fake.generations[FakeCollector::kGenerationWords + FakeCollector::kFirstSegment / 8] =
      address_of(young);
  const auto segments = bench.segments({&told, 1});
  REQUIRE(segments.ok());
  REQUIRE(segments->size() == 2);
  CHECK((*segments)[0].objects.start < (*segments)[1].objects.start);
  const HeapSegment* found = find_segment(*segments, young.memory + 16);
  REQUIRE(found != nullptr);
  CHECK(found->objects.end == young.memory + 24);
  CHECK(found->generation == 0);
  CHECK(find_segment(*segments, young.memory + 24) == nullptr);
  found = find_segment(*segments, frozen.memory);
  REQUIRE(found != nullptr);
  CHECK(found->frozen);
  CHECK(found->objects.end == frozen.memory + 48);
  CHECK(find_segment(*segments, 8) == nullptr);
}

TEST_CASE("segments that contradict themselves are no heap") {
  for (int wrong = 0; wrong < 3; ++wrong) {
    Bench bench;
    FakeCollector::Segment& segment = bench.fake.add(0, std::vector<std::uint64_t>(16, 0));
    if (wrong == 0) segment.allocated = segment.memory - 8;
    if (wrong == 1) segment.allocated += 8;
    if (wrong == 2) segment.memory += 4;
    CAPTURE(wrong);
    CHECK(bench.segments().error().code == ErrorCode::kInconsistent);
  }
  Bench bench;  // one over the other
  const FakeCollector::Segment& first = bench.fake.add(0, std::vector<std::uint64_t>(16, 0));
  FakeCollector::Segment& second = bench.fake.add(1, std::vector<std::uint64_t>(16, 0));
  second.memory = first.memory + 8;
  second.allocated = second.reserved = first.allocated + 8;
  CHECK(bench.segments().error().code == ErrorCode::kInconsistent);
  Bench endless;
  FakeCollector::Segment& ring = endless.fake.add(0, std::vector<std::uint64_t>(16, 0));
  ring.next = address_of(ring);
  CHECK(endless.segments().error().code == ErrorCode::kTooMany);
}

TEST_CASE("references: series, those of structs in an array, and descriptions that cannot be") {
  const FakeMethodTable pair(FakeMethodTable::kReferences, 32,
                             {1, 16, static_cast<std::uint64_t>(-16)});
  std::array<std::uint64_t, 8> object{pair.address()};
  std::vector<std::uint64_t> slots;
  const auto note = [&](Address slot) { slots.push_back((slot - address_of(object)) / 8); };
  REQUIRE(for_each_slot(address_of(object), pair.address(), 32, note));
  CHECK(slots == std::vector<std::uint64_t>{2, 3});
  // Elements of 24 bytes: two references and a number.
  const FakeMethodTable structs(FakeMethodTable::kReferences | FakeMethodTable::kComponents | 24,
                                24,
                                {static_cast<std::uint64_t>(-1), 16, 2 | std::uint64_t{8} << 32});
  slots.clear();
  REQUIRE(for_each_slot(address_of(object), structs.address(), 24 + 2 * 24, note));
  CHECK(slots == std::vector<std::uint64_t>{2, 3, 5, 6});
  const FakeMethodTable beyond(FakeMethodTable::kReferences, 32,
                               {1, 40, static_cast<std::uint64_t>(-16)});
  CHECK_FALSE(for_each_slot(address_of(object), beyond.address(), 32, note));
  const FakeMethodTable nothing(FakeMethodTable::kReferences, 32, {0});
  CHECK_FALSE(for_each_slot(address_of(object), nothing.address(), 32, note));
  const FakeMethodTable plain(0, 32);
  slots.clear();
  CHECK(for_each_slot(address_of(object), plain.address(), 32, note));
  CHECK(slots.empty());
}
