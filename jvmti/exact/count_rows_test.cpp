#include "jvmti/exact/count_rows.h"

#include <doctest/doctest.h>

#include <map>
#include <thread>
#include <tuple>
#include <vector>

namespace holdfast::jvmti {

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

StringId name(std::uint32_t number) { return StringId{number}; }

// What the bytecode of the counting class does.
void count(TaggedRow row, std::uint32_t place, std::uint64_t bytes) {
  const std::uint64_t shared = (row & CountRows::kTagMask) == CountRows::kSharedTag ? 1 : 0;
  auto* const at = reinterpret_cast<std::uint64_t*>(row + place - shared);
  __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(at + 1, bytes, __ATOMIC_RELAXED);
}

using Key = std::tuple<AccountId, AccountId, std::uint32_t>;
using Amount = std::pair<std::uint64_t, std::uint64_t>;

std::map<Key, Amount> sums(const CountRows& rows) {
  std::map<Key, Amount> all;
  rows.visit(
      [](void* to, AccountId account, AccountId principal, const CountedClass& counted,
         std::uint64_t objects, std::uint64_t bytes) noexcept {
        Amount& sum = (*static_cast<std::map<Key, Amount>*>(
            to))[{account, principal, counted.name.valid() ? counted.name.value : 0}];
        sum.first += objects;
        sum.second += bytes;
      },
      &all);
  return all;
}

struct Opened {
  explicit Opened(std::uint32_t accounts = 4, std::uint64_t memory = kPlenty) : ledger(memory) {
    REQUIRE(rows.open(accounts, ledger, MemoryCategory::kAccounts));
  }
  Ledger ledger;
  CountRows rows;
};

}  // namespace

TEST_CASE("count_rows: a row is an account and the one that it was entered from") {
  Opened opened;
  CountRows& rows = opened.rows;
  const std::uint32_t objects = rows.add_class({name(7), 24});
  const std::uint32_t arrays = rows.add_class({name(8), 0});
  const TaggedRow outside = rows.row_for_thread(true);
  CHECK((outside & CountRows::kTagMask) == CountRows::kOwnTag);
  const TaggedRow first = rows.row_entered(outside, 1);
  const TaggedRow second = rows.row_entered(first, 2);
  CHECK(rows.row_entered(outside, 1) == first);
  CHECK(rows.row_entered(first, 1) == first);
  const TaggedRow back = rows.row_entered(second, 1);
  CHECK(back != first);
  count(outside, objects, 0);
  count(second, objects, 0);
  count(second, objects, 0);
  count(back, arrays, 40);
  const std::map<Key, Amount> expected{
      {{0, 0, 7}, {1, 24}}, {{2, 1, 7}, {2, 48}}, {{1, 2, 8}, {1, 40}}};
  CHECK(sums(rows) == expected);
}

TEST_CASE("count_rows: a thread that ends leaves its lane, and what it counted stays") {
  Opened opened;
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 16});
  const TaggedRow first = rows.row_for_thread(true);
  const TaggedRow inside = rows.row_entered(first, 3);
  count(inside, place, 0);
  rows.thread_ended(inside);
  CHECK(rows.row_for_thread(true) == first);
  CHECK(rows.row_for_thread(true) != first);
  CHECK(rows.row_entered(first, 3) == inside);
  CHECK(sums(rows) == std::map<Key, Amount>{{{3, 0, 1}, {1, 16}}});
}

TEST_CASE("count_rows: more threads than lanes share one, and lose nothing") {
  Opened opened;
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 0});
  for (std::uint32_t i = 0; i < CountRows::kMaxLanes; ++i)
    REQUIRE((rows.row_for_thread(true) & CountRows::kTagMask) == CountRows::kOwnTag);
  constexpr int kThreads = 4;
  constexpr int kObjects = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      const TaggedRow row = rows.row_for_thread(true);
      const TaggedRow inside = rows.row_entered(row, 2);
      for (int k = 0; k < kObjects; ++k) count(inside, place, 8);
      rows.thread_ended(inside);
    });
  for (std::thread& each : threads) each.join();
  CHECK(rows.losses().shared_threads == kThreads);
  CHECK(sums(rows) ==
        std::map<Key, Amount>{
            {{2, 0, 1}, {kThreads * kObjects, std::uint64_t{8} * kThreads * kObjects}}});
}

TEST_CASE("count_rows: a virtual thread shares from the start") {
  Opened opened;
  CHECK((opened.rows.row_for_thread(false) & CountRows::kTagMask) == CountRows::kSharedTag);
  CHECK(opened.rows.losses().shared_threads == 0);
}

TEST_CASE(
    "count_rows: without room a row stays, a class is one of the others, and both are counted") {
  Opened opened;
  CountRows& rows = opened.rows;
  const TaggedRow row = rows.row_for_thread(true);
  opened.ledger.charge(MemoryCategory::kGraph, opened.ledger.left_bytes());
  CHECK(rows.row_entered(row, 1) == row);
  const std::uint32_t other = rows.add_class({});
  std::uint32_t last = 0;
  std::uint32_t added = 0;
  while ((last = rows.add_class({name(9), 16})) != other) REQUIRE(++added < CountRows::kMaxClasses);
  CHECK(added <= 4096 / 16);
  CHECK(rows.losses().rows_missing == 1);
  CHECK(rows.losses().classes_missing == 2);
  const TaggedRow shared = rows.row_for_thread(true);
  CHECK((shared & CountRows::kTagMask) == CountRows::kSharedTag);
}

TEST_CASE("count_rows: an account that does not exist is not entered") {
  Opened opened(2);
  const TaggedRow row = opened.rows.row_for_thread(true);
  CHECK(opened.rows.row_entered(row, 2) == row);
  CHECK(opened.rows.row_entered(row, 1) != row);
}

TEST_CASE("count_rows: ten thousand accounts") {
  Opened opened(10'001);
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 8});
  const TaggedRow row = rows.row_for_thread(true);
  for (const AccountId account : {1u, 5000u, 10'000u})
    count(rows.row_entered(row, account), place, 0);
  CHECK(sums(rows).size() == 3);
}

TEST_CASE("count_rows: no address space, no counting") {
  Ledger ledger(0);
  CountRows rows;
  CHECK_FALSE(rows.open(4, ledger, MemoryCategory::kAccounts));
}

}  // namespace holdfast::jvmti
