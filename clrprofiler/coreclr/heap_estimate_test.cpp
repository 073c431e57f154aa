#include "clrprofiler/coreclr/heap_estimate.h"

#include <doctest/doctest.h>

#include "clrprofiler/coreclr/fake_collector.h"
#include "clrprofiler/coreclr/fake_method_table.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct Heap {
  FakeCollector fake;
  GcTables tables;
  FakeMethodTable order{0, 32};
  FakeMethodTable bytes{FakeMethodTable::kComponents | 1, 24};

  Heap() { REQUIRE(read_gc_tables(&fake.entries, tables) == nullptr); }
  // `count` objects of 32 bytes.
  void add_orders(std::size_t generation, std::size_t count) {
    std::vector<std::uint64_t> words(4 * count, 0);
    for (std::size_t i = 0; i < count; ++i) words[4 * i] = order.address();
    fake.add(generation, words);
  }
  // One array as large as the segment.
  void add_array(std::size_t generation, std::size_t words) {
    std::vector<std::uint64_t> array(words, 0);
    array[0] = bytes.address() | 1;  // a mark of the collector's
    array[1] = 8 * (words - 3);
    fake.add(generation, array);
  }
};

}  // namespace

TEST_CASE("heap estimate: the segments' bytes, and the size of the objects in them") {
  Heap heap;
  heap.add_orders(2, 10'000);
  heap.add_orders(0, 100);
  const auto found = estimate_heap(heap.tables);
  REQUIRE(found);
  CHECK(found->used_bytes == 10'100 * 32);
  CHECK(found->bytes_per_object == 32);
}

TEST_CASE("heap estimate: a heap of large arrays has few objects") {
  Heap heap;
  heap.add_orders(2, 1'000);
  for (int i = 0; i < 4; ++i) heap.add_array(3, 1'000'000);
  const auto found = estimate_heap(heap.tables);
  REQUIRE(found);
  CHECK(found->used_bytes == 32'000'000 + 32'000);
  CHECK(found->bytes_per_object > 30'000);
  CHECK(found->bytes_per_object < 33'000);
}

TEST_CASE("heap estimate: room that is not filled yet and words that are no class end a sample") {
  Heap heap;
  heap.fake.add(0, {heap.order.address(), 0, 0, 0, 0, 0, 0, 0});
  heap.fake.add(2, {0x7777'7777'0000, 0, 0, 0});
  const auto found = estimate_heap(heap.tables);
  REQUIRE(found);
  CHECK(found->used_bytes == 96);
  CHECK(found->bytes_per_object == 32);
}

TEST_CASE("heap estimate: lists that lead nowhere are no heap") {
  Heap heap;
  heap.add_orders(2, 10);
  heap.fake.segments.back().next = 0x10;
  CHECK_FALSE(estimate_heap(heap.tables));
  CHECK_FALSE(estimate_heap(GcTables{}));
}
