#include "common/triggers/heap_floor.h"

#include <doctest/doctest.h>

using namespace holdfast;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

// A heap of 1000 bytes, a threshold of 85 %, three pauses a collection, one every 500 ms.
struct Heap {
  CollectionFigures figures;
  HeapFloor floor;
  std::uint64_t now_ns = 7'000 * kMs;
  std::uint64_t step_ns = 500 * kMs;

  explicit Heap(bool one_generation = true) {
    figures.max_bytes = 1000;
    figures.used_after_bytes = 0;
    figures.one_generation = one_generation;
    if (!one_generation) figures.whole_pauses = 0;
    floor.begin(85, figures);
  }
  HeapLevel::Reading pause(std::uint64_t used) {
    figures.used_after_bytes = used;
    now_ns += step_ns;
    return floor.after(figures, now_ns);
  }
  // The first pause of a collection, which tells what was allocated since the one before.
  HeapLevel::Reading begin(std::uint64_t used, std::uint64_t allocated) {
    figures.allocated_bytes = allocated;
    ++figures.allocation_stamp;
    return pause(used);
  }
  HeapLevel::Reading look(std::uint64_t used) {
    figures.used_after_bytes = used;
    return floor.look(figures);
  }
  // How many pauses until one counts; 0: none of so many.
  std::uint32_t pauses_until_counted(std::uint64_t used, std::uint32_t limit = 200) {
    for (std::uint32_t i = 1; i <= limit; ++i)
      if (pause(used).counts) return i;
    return 0;
  }
};

}  // namespace

TEST_CASE("what is used is a bound: below the threshold it counts at once") {
  Heap heap;
  const HeapLevel::Reading left = heap.pause(849);
  CHECK(left.counts);
  CHECK(left.percent == 84);
  CHECK_FALSE(heap.floor.in_doubt());
}

TEST_CASE("above it, it counts after enough pauses, and then the least of what was seen") {
  Heap heap;
  CHECK(heap.pauses_until_counted(930) == HeapFloor::kWholePauses + 1);
  CHECK_FALSE(heap.floor.in_doubt());
  CHECK_FALSE(heap.pause(990).counts);
  CHECK_FALSE(heap.pause(870).counts);
  CHECK(heap.floor.in_doubt());
  CHECK(heap.floor.least_percent() == 87);
  for (std::uint32_t i = 2; i < HeapFloor::kWholePauses; ++i) CHECK_FALSE(heap.pause(990).counts);
  CHECK(heap.pause(990).percent == 87);
}

TEST_CASE(
    "pauses that come quickly have to go on for a while; a shorter one where nothing is left") {
  Heap heap;
  heap.step_ns = 10 * kMs;
  CHECK(heap.pauses_until_counted(930, 1000) == HeapFloor::kStretchNs / heap.step_ns + 1);
  CHECK(heap.pauses_until_counted(960, 1000) == HeapFloor::kNearlyFullNs / heap.step_ns + 1);
}

TEST_CASE("time alone confirms nothing: an idle heap is not collected") {
  Heap heap;
  CHECK_FALSE(heap.pause(930).counts);
  heap.now_ns += 3600'000 * kMs;
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(heap.look(930).counts);
  CHECK_FALSE(heap.pause(930).counts);
}

TEST_CASE("one figure below the threshold begins it all anew") {
  Heap heap;
  for (int row = 0; row < 50; ++row) {
    for (std::uint32_t i = 0; i < HeapFloor::kWholePauses; ++i)
      CHECK_FALSE(heap.pause(1000).counts);
    const HeapLevel::Reading left = heap.pause(700);
    CHECK(left.counts);
    CHECK(left.percent == 70);
  }
}

TEST_CASE("a look between pauses is a bound too, and never confirms") {
  Heap heap;
  CHECK_FALSE(heap.look(500).counts);  // nothing is in doubt
  for (std::uint32_t i = 0; i < HeapFloor::kWholePauses; ++i) CHECK_FALSE(heap.pause(950).counts);
  CHECK_FALSE(heap.look(860).counts);
  CHECK(heap.floor.least_percent() == 86);
  CHECK(heap.look(600).percent == 60);
  CHECK_FALSE(heap.floor.in_doubt());
  CHECK(heap.pauses_until_counted(950) == HeapFloor::kWholePauses + 1);
}

TEST_CASE(
    "a heap that is always full of garbage: what was allocated since is no part of what lives") {
  Heap heap;
  for (int i = 0; i < 100; ++i) {
    const HeapLevel::Reading left = heap.begin(1000, 340);
    CHECK(left.counts);
    CHECK(left.percent == 66);
    CHECK_FALSE(heap.pause(1000).counts);
    CHECK_FALSE(heap.pause(990).counts);
  }
}

TEST_CASE("what was allocated is told once a collection, and is subtracted once") {
  Heap heap;
  CHECK_FALSE(heap.begin(1000, 100).counts);
  CHECK(heap.floor.least_percent() == 90);
  // The figure stands until the next collection begins; what is used now is already less what was freed.
  CHECK_FALSE(heap.pause(920).counts);
  CHECK(heap.floor.least_percent() == 90);
  CHECK_FALSE(heap.begin(100, 5000).percent != 0);  // more than there is
}

TEST_CASE("with generations only pauses of whole collections confirm") {
  Heap heap(false);
  CHECK(heap.pauses_until_counted(930) == 0);
  heap.figures.whole_pauses += HeapFloor::kWholePauses - 1;
  CHECK_FALSE(heap.pause(930).counts);
  ++heap.figures.whole_pauses;
  CHECK(heap.pause(930).counts);
}

TEST_CASE("a VM that does not tell") {
  Heap heap;
  CHECK(HeapFloor::possible(heap.figures));
  CollectionFigures figures = heap.figures;
  figures.one_generation = false;
  CHECK_FALSE(HeapFloor::possible(figures));
  figures = heap.figures;
  figures.used_after_bytes = kUnknownCount;
  CHECK_FALSE(HeapFloor::possible(figures));
  figures = heap.figures;
  figures.max_bytes = 0;
  CHECK_FALSE(HeapFloor::possible(figures));
  heap.figures.max_bytes = kUnknownCount;
  CHECK(heap.pauses_until_counted(930) == 0);
  HeapFloor off;
  CHECK_FALSE(off.after(Heap().figures, 1).counts);
}
