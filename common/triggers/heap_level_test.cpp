#include "common/triggers/heap_level.h"

#include <doctest/doctest.h>

using namespace holdfast;

namespace {

// A heap of 1000 bytes, a threshold of 85 %.
struct Heap {
  CollectionFigures figures;
  HeapLevel level;

  explicit Heap(std::uint64_t cycles = 0) {
    figures.young = figures.full = 0;
    figures.cycles = cycles;
    figures.max_bytes = 1000;
    figures.used_after_bytes = 0;
    level.begin(85, figures);
  }
  HeapLevel::Reading young(std::uint64_t used) {
    ++figures.young;
    figures.used_after_bytes = used;
    return level.after(figures);
  }
  HeapLevel::Reading full(std::uint64_t used) {
    ++figures.full;
    figures.used_after_bytes = used;
    return level.after(figures);
  }
};

}  // namespace

TEST_CASE("below the threshold every collection counts") {
  Heap heap;
  CHECK(heap.young(849).counts);
  CHECK(heap.young(849).percent == 84);
  CHECK(heap.full(10).percent == 1);
}

TEST_CASE("above it a full collection counts, and a young one does not") {
  Heap heap;
  CHECK_FALSE(heap.young(900).counts);
  CHECK(heap.level.in_doubt());
  const HeapLevel::Reading left = heap.full(870);
  CHECK(left.counts);
  CHECK(left.percent == 87);
  CHECK_FALSE(heap.level.in_doubt());
  CHECK(heap.full(880).counts);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(heap.young(990).counts);
}

TEST_CASE(
    "young collections count after a marking of the whole heap and 16 more that all leave too "
    "much") {
  Heap heap;
  for (int i = 0; i < 50; ++i) CHECK_FALSE(heap.young(900).counts);
  ++heap.figures.cycles;
  for (std::uint32_t i = 1; i < HeapLevel::kCollectionsAfterMarking; ++i)
    CHECK_FALSE(heap.young(900).counts);
  CHECK(heap.young(910).percent == 91);
  CHECK_FALSE(heap.young(910).counts);  // the next needs a marking of its own
}

TEST_CASE("one collection that leaves less begins the doubt anew") {
  Heap heap;
  CHECK_FALSE(heap.young(900).counts);
  ++heap.figures.cycles;
  for (std::uint32_t i = 1; i < HeapLevel::kCollectionsAfterMarking; ++i)
    CHECK_FALSE(heap.young(900).counts);
  CHECK(heap.young(840).counts);
  for (int i = 0; i < 100; ++i) CHECK_FALSE(heap.young(900).counts);
}

TEST_CASE("without a count of markings only full collections tell") {
  Heap heap(kUnknownCount);
  for (int i = 0; i < 200; ++i) CHECK_FALSE(heap.young(990).counts);
  CHECK(heap.full(990).percent == 99);
}

TEST_CASE("without a count of full collections markings tell") {
  Heap heap;
  heap.figures.full = kUnknownCount;
  heap.level.begin(85, heap.figures);
  CHECK(HeapLevel::possible(heap.figures));
  CHECK_FALSE(heap.young(900).counts);
  heap.figures.cycles += 3;
  bool told = false;
  for (int i = 0; i < 20; ++i) told = told || heap.young(900).counts;
  CHECK(told);
}

TEST_CASE("full collections from before do not count; a VM that tells nothing never does") {
  Heap heap;
  heap.figures.full = 7;
  heap.level.begin(85, heap.figures);
  CHECK_FALSE(heap.young(990).counts);
  CollectionFigures nothing;
  CHECK_FALSE(HeapLevel::possible(nothing));
  CHECK_FALSE(heap.level.after(nothing).counts);
  nothing = heap.figures;
  nothing.max_bytes = 0;
  CHECK_FALSE(HeapLevel::possible(nothing));
}

TEST_CASE("a heap of many terabytes") {
  Heap heap;
  heap.figures.max_bytes = std::uint64_t{16} << 40;
  CHECK(heap.full((std::uint64_t{15} << 40)).percent == 93);
}
