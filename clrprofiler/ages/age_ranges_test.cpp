#include "clrprofiler/ages/age_ranges.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

#include "clrprofiler/ages/simulated_heap.h"
#include "common/arena_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

struct Table {
  explicit Table(std::size_t most_ranges = AgeRanges::kMostRanges)
      : memory(AgeRanges::bytes_for(most_ranges)) {
    REQUIRE(ages.open(memory.arena(), most_ranges));
  }
  TestArena memory;
  AgeRanges ages;
};

void check_all(const SimulatedHeap& heap, const AgeRanges& ages) {
  AgeView view = ages.view(heap.number());
  std::uint64_t wrong = 0, objects = 0;
  heap.for_each([&](const SimulatedHeap::Object& object, std::uint8_t generation) {
    ++objects;
    const AgeCode told = view.age_at(object.address);
    const AgeCode right = heap.age_of(object);
    if (told == right && view.age_at(object.address + object.bytes - 8) == right) return;
    if (wrong++ == 0)
      MESSAGE("gen", int{generation}, " at ", object.address, ": told ", int{told}, ", is ",
              int{right}, ", collection ", heap.number());
  });
  REQUIRE(wrong == 0);
  REQUIRE(objects > 0);
}

void live(SimulatedHeap& heap, AgeRanges& ages, int collections) {
  for (int i = 0; i < collections; ++i) {
    heap.allocate(100 + heap.below(400));
    const auto kind = heap.below(10);
    heap.collect(ages, kind < 6 ? 0 : kind < 9 ? 1 : 2, heap.below(2) == 0);
    check_all(heap, ages);
    if (heap.below(6) != 0) continue;
    heap.allocate(heap.below(300));
    heap.collect_in_background(ages);
    check_all(heap, ages);
  }
}

}  // namespace

TEST_CASE("ages are those of a heap that counts them object by object") {
  for (std::uint32_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Table table;
    SimulatedHeap heap(seed, 1 + seed % 4);
    table.ages.begin_at_first();
    live(heap, table.ages, 40);
    const AgeLosses losses = table.ages.losses();
    CHECK(losses.forgotten == 0);
    CHECK(losses.coarsened == 0);
  }
}

TEST_CASE("what was there before anybody listened has no age, and keeps none") {
  for (std::uint32_t seed = 100; seed < 110; ++seed) {
    CAPTURE(seed);
    Table table;
    Table nobody;
    SimulatedHeap heap(seed, 2);
    nobody.ages.begin_at_first();
    live(heap, nobody.ages, 10);
    heap.allocate(300);
    CHECK_FALSE(table.ages.view(heap.number()).known());
    heap.collect(table.ages, 1, true);  // the first that is heard makes the table
    heap.note_before_all();
    check_all(heap, table.ages);
    live(heap, table.ages, 15);
  }
}

// Every two collections fill one stretch of gen1, the second between what the first has left.
TEST_CASE("a table that has no room for all is coarser, and makes nothing older than it is") {
  constexpr std::size_t kRoom = 4096;
  constexpr std::uint64_t kStart = 0x100000, kBytes = 64;
  constexpr std::uint32_t kCollections = 120, kEach = 100;
  const auto place = [](std::uint32_t collection, std::uint32_t i) {
    const std::uint32_t pair = (collection - 1) / 2, second = (collection - 1) % 2;
    return kStart + (std::uint64_t{pair} * 2 * kEach + 2 * i + second) * kBytes;
  };
  Table table(kRoom);
  AgeRanges& ages = table.ages;
  ages.begin_at_first();
  for (std::uint32_t collection = 1; collection <= kCollections; ++collection) {
    ages.begin(collection, 0);
    {
      AgeRanges::Teller teller(ages);
      for (std::uint32_t i = 0; i < kEach; ++i)
        teller.moved(0x1000 + i * kBytes, place(collection, i), kBytes);
    }
    ages.begin_last_listing();
    ages.list(kGen1, kStart, kCollections * kEach * kBytes, kCollections * kEach * kBytes);
    ages.end();
  }
  CHECK(ages.losses().coarsened > 0);
  CHECK(ages.losses().forgotten == 0);
  CHECK(ages.size() <= kRoom);
  AgeView view = ages.view(kCollections);
  for (std::uint32_t collection = 1; collection <= kCollections; ++collection)
    for (std::uint32_t i = 0; i < kEach; ++i) {
      const std::uint32_t age = kCollections - collection + 1;
      REQUIRE(view.age_at(place(collection, i)) <= age);
      REQUIRE(view.age_at(place(collection, i)) >= age / 4);  // it was rounded down more than once
    }
}

TEST_CASE(
    "a collection that tells more than there is room for: survivors some way apart become one "
    "range") {
  constexpr std::size_t kRoom = 4096;  // 64 chunks
  constexpr std::uint64_t kStart = 0x10000, kStep = 64, kCount = 40'000;
  Table table(kRoom);
  AgeRanges& ages = table.ages;
  ages.begin_at_first();
  ages.begin(1, 0);
  {
    AgeRanges::Teller teller(ages);
    for (std::uint64_t i = 0; i < kCount; ++i) teller.survived(kStart + i * kStep, 24);
  }
  ages.begin_last_listing();
  ages.list(kGen1, kStart, kCount * kStep, kCount * kStep);
  ages.end();
  CHECK(ages.losses().forgotten == 0);
  CHECK(ages.size() == 1);
  AgeView view = ages.view(1);
  CHECK(view.age_at(kStart) == 1);
  CHECK(view.age_at(kStart + (kCount - 1) * kStep) == 1);
}

TEST_CASE("more regions than can be listed: no table") {
  Table table(1024);
  table.ages.begin_at_first();
  table.ages.begin(1, 0);
  table.ages.begin_last_listing();
  for (std::uint64_t i = 0; i <= HeapRegions::kMostRegions; ++i)
    table.ages.list(kGen1, 0x1000 * (i + 1), 0x1000, 0x1000);
  table.ages.end();
  CHECK_FALSE(table.ages.known());
  CHECK(table.ages.losses().restarts == 1);
}
