#include "common/snapshot/mark_table.h"

#include <doctest/doctest.h>

#include <random>
#include <set>
#include <vector>

#include "common/arena_for_test.h"
#include "common/snapshot/growing_mark_table.h"
#include "common/tries_for_test.h"

using namespace holdfast;

namespace {

template <class Table>
Table table_for(TestArena& ground, std::uint64_t heap_bytes) {
  auto made = Table::make(ground.arena(), heap_bytes);
  REQUIRE(made);
  return *made;
}

template <class Table>
std::vector<std::uint64_t> places_in_order(Table& table) {
  std::vector<std::uint64_t> places;
  table.for_each([&](std::uint64_t place) {
    places.push_back(place);
    return true;
  });
  return places;
}

// Marks, then compares numbers and order with a sorted set.
template <class Table>
void check_against(TestArena& ground, std::uint64_t heap_bytes,
                   const std::set<std::uint64_t>& wanted) {
  Table table = table_for<Table>(ground, heap_bytes);
  for (const std::uint64_t place : wanted) {
    REQUIRE_FALSE(table.marked(place));
    REQUIRE(table.mark(place));
    REQUIRE_FALSE(table.mark(place));
    REQUIRE(table.marked(place));
  }
  const auto count = table.number();
  REQUIRE(count);
  CHECK(*count == wanted.size());
  CHECK(places_in_order(table) == std::vector<std::uint64_t>(wanted.begin(), wanted.end()));
  std::uint32_t number = 0;
  for (const std::uint64_t place : wanted) REQUIRE(table.number_of(place) == number++);
}

}  // namespace

TEST_CASE_TEMPLATE("an empty table has no numbers", Table, MarkTable, GrowingMarkTable) {
  TestArena ground;
  Table table = table_for<Table>(ground, 0);
  const auto count = table.number();
  REQUIRE(count);
  CHECK(*count == 0);
  CHECK(places_in_order(table).empty());
}

TEST_CASE_TEMPLATE("the first and the last place, and both sides of every edge", Table, MarkTable,
                   GrowingMarkTable) {
  TestArena ground;
  // A cell holds 32 places, a stretch 4096 cells.
  constexpr std::uint64_t kStretch = 32 * 4096;
  for (const std::uint64_t places : {std::uint64_t{1}, std::uint64_t{32}, std::uint64_t{33},
                                     kStretch, kStretch + 1, 3 * kStretch + 17}) {
    std::set<std::uint64_t> wanted;
    for (const std::uint64_t edge : {std::uint64_t{0}, std::uint64_t{31}, std::uint64_t{32},
                                     kStretch - 1, kStretch, 2 * kStretch - 1, places - 1, places})
      if (edge <= places) wanted.insert(edge);
    check_against<Table>(ground, places * MarkTable::kPlaceBytes, wanted);
  }
}

TEST_CASE_TEMPLATE("random places are numbered in their order, dense and thin", Table, MarkTable,
                   GrowingMarkTable) {
  TestArena ground;
  std::mt19937_64 random(11);
  for (std::uint64_t round = 0; round < tries(100); ++round) {
    const std::uint64_t places = 1 + random() % 1'000'000;
    const std::uint64_t wanted_count = random() % (round % 2 == 0 ? 50 : 20'000);
    std::set<std::uint64_t> wanted;
    for (std::uint64_t i = 0; i < wanted_count; ++i) wanted.insert(random() % places);
    ArenaScope scratch(ground.arena());
    check_against<Table>(ground, places * MarkTable::kPlaceBytes, wanted);
  }
}

TEST_CASE("a number leads back to its place") {
  TestArena ground;
  std::mt19937_64 random(12);
  for (int round = 0; round < 50; ++round) {
    const std::uint64_t places = 1 + random() % 1'000'000;
    ArenaScope scratch(ground.arena());
    auto table = table_for<GrowingMarkTable>(ground, places * MarkTable::kPlaceBytes);
    for (std::uint64_t i = 0; i < 1 + random() % 3'000; ++i) table.mark(random() % places);
    REQUIRE(table.number());
    std::uint32_t number = 0;
    bool right = true;
    table.for_each([&](std::uint64_t place) {
      right = right && table.place_of(number++) == place;
      return true;
    });
    CHECK(right);
  }
}

TEST_CASE_TEMPLATE("a visit that says stop is not made again", Table, MarkTable, GrowingMarkTable) {
  TestArena ground;
  Table table = table_for<Table>(ground, 1 << 20);
  for (const std::uint64_t place : {3u, 5u, 90u, 4000u}) table.mark(place);
  std::vector<std::uint64_t> seen;
  table.for_each([&](std::uint64_t place) {
    seen.push_back(place);
    return place < 5;
  });
  CHECK(seen == std::vector<std::uint64_t>{3, 5});
}

TEST_CASE_TEMPLATE("a table on used memory begins empty", Table, MarkTable, GrowingMarkTable) {
  TestArena ground;
  const Arena::Mark before = ground.arena().mark();
  REQUIRE(ground.arena().make_filled<std::uint8_t>(9'000, 0xFF));
  ground.arena().rewind(before);
  REQUIRE(ground.arena().make_filled<std::uint8_t>(100, 0xFF));
  ground.arena().rewind(before + 64);
  Table table = table_for<Table>(ground, 64 << 10);
  CHECK(places_in_order(table).empty());
  CHECK_FALSE(table.marked(0));
}

TEST_CASE("a table for which there is no memory is refused") {
  TestArena ground(std::uint64_t{1} << 20);
  const auto made = MarkTable::make(ground.arena(), std::uint64_t{1} << 30);
  REQUIRE_FALSE(made);
  CHECK(made.error().code == ErrorCode::kOutOfBudget);
}

TEST_CASE(
    "a table that grows takes memory where something is marked, and says when there is none") {
  TestArena ground(std::uint64_t{100} << 10);
  auto table = table_for<GrowingMarkTable>(ground, std::uint64_t{1} << 30);
  constexpr std::uint64_t kStretch = 32 * 4096;
  for (const std::uint64_t stretch : {900u, 3u}) {
    CHECK(table.mark(stretch * kStretch));
    CHECK_FALSE(table.failed());
  }
  CHECK_FALSE(table.mark(7 * kStretch));
  CHECK(table.failed());
  CHECK_FALSE(table.marked(7 * kStretch));
  CHECK(table.marked(900 * kStretch));
}
