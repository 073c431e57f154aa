#include "clrprofiler/coreclr/handle_tables.h"

#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_handle_segment.h"
#include "clrprofiler/coreclr/finalize_queue.h"
#include "clrprofiler/heap/fake_recording.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

// A map with two buckets, the second of which has a table of one segment more.
struct Tables {
  FakeHandleSegment first, second, other;
  std::array<std::uint64_t, 8> table{}, other_table{};
  std::array<std::uint64_t, 2> tables{address_of(table), 0},
      other_tables{address_of(other_table), 0};
  std::array<std::uint64_t, 2> bucket{address_of(tables), 0},
      other_bucket{address_of(other_tables), 1};
  std::array<std::uint64_t, 10> buckets{address_of(bucket), 0, address_of(other_bucket)};
  std::array<std::uint64_t, 2> map{address_of(buckets), 0};
  GcTables gc;
  HandleLayout layout;
  FakeRecording recorded;

  Tables() {
    gc.handle_tables = address_of(map);
    table[7] = first.address();
    other_table[7] = other.address();
    first.own(address_of(table), second.address());
    second.own(address_of(table));
    other.own(address_of(other_table));
  }
  Result<std::vector<Handle>> read() {
    HF_TRY(segments, read_handle_segments(gc, layout, recorded.memory().work_arena()));
    std::vector<Handle> found;
    for (const Address segment : segments)
      for_each_handle(layout, segment, [&](const Handle& handle) { found.push_back(handle); });
    return found;
  }
};

}  // namespace

TEST_CASE(
    "handles of every table and segment, each with its type, dependent ones with both objects") {
  Tables t;
  t.first.commit(3);
  t.first.block(0, HandleType::kStrong);
  t.first.value(0, 0, 0x1000);
  t.first.value(0, 63, 0x1018);
  t.first.block(1, HandleType::kDependent);
  t.first.second_words(1, 2);
  t.first.value(1, 5, 0x1030);
  t.first.value(2, 5, 0x1048);  // a block of second words alone has no type
  t.second.commit(1);
  t.second.block(0, HandleType::kPinned);
  t.second.value(0, 1, 0x1060);
  t.second.block(1, HandleType::kStrong);  // no memory there yet
  t.second.value(1, 0, 0x1078);
  t.other.commit(1);
  t.other.block(0, HandleType::kWeakLong);
  t.other.value(0, 0, 0x1090);
  REQUIRE(read_handle_layout(t.gc, t.layout) == nullptr);
  CHECK(t.layout.types == FakeHandleSegment::kTypes);
  CHECK(t.layout.tables == 1);
  const auto found = t.read();
  REQUIRE(found.ok());
  REQUIRE(found->size() == 5);
  CHECK((*found)[0].object == 0x1000);
  CHECK((*found)[0].handle == t.first.address() + handle_segment::kValues);
  CHECK((*found)[1].object == 0x1018);
  CHECK((*found)[2].type == HandleType::kDependent);
  CHECK((*found)[2].second == 0x1048);
  CHECK((*found)[3].type == HandleType::kPinned);
  CHECK((*found)[3].second == 0);
  CHECK((*found)[4].type == HandleType::kWeakLong);
}

TEST_CASE("tables of handles that contradict themselves are told") {
  Tables t;
  t.first.own(0x1234);
  CHECK(read_handle_layout(t.gc, t.layout) == std::string("whose table a segment of handles is"));
  t.tables[0] = 0;
  CHECK(read_handle_layout(t.gc, t.layout) == std::string("a handle table"));
  t.map[0] = 16;
  CHECK(read_handle_layout(t.gc, t.layout) == std::string("a handle table"));
  Tables later;
  REQUIRE(read_handle_layout(later.gc, later.layout) == nullptr);
  later.second.own(address_of(later.other_table));
  CHECK(later.read().error().code == ErrorCode::kInconsistent);
  Tables ring;
  REQUIRE(read_handle_layout(ring.gc, ring.layout) == nullptr);
  ring.second.own(address_of(ring.table), ring.first.address());
  CHECK(ring.read().error().code == ErrorCode::kTooMany);
  Tables maps;
  REQUIRE(read_handle_layout(maps.gc, maps.layout) == nullptr);
  maps.map[1] = address_of(maps.map);
  CHECK(maps.read().error().code == ErrorCode::kTooMany);
}

TEST_CASE("what waits for its finalizer, and a queue that is out of order") {
  FakeCollector fake;
  GcTables gc;
  REQUIRE(read_gc_tables(&fake.entries, gc) == nullptr);
  const auto waiting = [&]() -> Result<std::vector<Address>> {
    std::vector<Address> found;
    HF_CHECK_OK(for_each_awaiting_finalizer(gc, [&](Address object) { found.push_back(object); }));
    return found;
  };
  REQUIRE(waiting().ok());  // there is no queue yet
  std::array<std::uint64_t, 8> array{0x10, 0x20, 0x30, 0, 0x50, 0, 0, 0};
  std::array<std::uint64_t, 9> queue{};
  for (std::size_t i = 0; i < 4; ++i) queue[i] = address_of(array[1]);
  queue[4] = address_of(array[1]);
  queue[5] = address_of(array[3]);
  queue[6] = address_of(array[5]);
  queue[7] = address_of(array[0]);
  queue[8] = address_of(array[0]) + 64;
  fake.finalize_queue = address_of(queue);
  const auto found = waiting();
  REQUIRE(found.ok());
  CHECK(*found == std::vector<Address>{0x20, 0x30, 0x50});
  queue[6] = queue[8] + 8;
  CHECK(waiting().error().code == ErrorCode::kInconsistent);
}
