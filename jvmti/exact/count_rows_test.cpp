#include "jvmti/exact/count_rows.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <thread>
#include <tuple>
#include <vector>

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

StringId name(std::uint32_t number) { return StringId{number}; }

// What the bytecode of the counting class does.
void count(RowAddress row, std::uint32_t place, std::uint64_t bytes) {
  auto* const at = reinterpret_cast<std::uint64_t*>(row + place);
  __atomic_fetch_add(at, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(at + 1, bytes, __ATOMIC_RELAXED);
}

struct Slot {
  AccountState state;
  RowAddress row;
};

// The slot that bytecode looks at first, and those behind it.
Slot slot(TaggedLane lane, AccountState state, std::uint32_t further = 0) {
  const std::uint32_t at = (CountRows::home_slot(state) + further) & (CountRows::kSlots - 1);
  return reinterpret_cast<const Slot*>(lane & ~CountRows::kTagMask)[at];
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
  const TaggedLane lane = rows.lane_for_thread(true);
  CHECK((lane & CountRows::kTagMask) == CountRows::kOwnTag);
  const RowAddress outside = rows.row_of(lane, 0);
  const RowAddress first = rows.row_of(lane, account_state(1, 0));
  const RowAddress second = rows.row_of(lane, account_state(2, 1));
  CHECK(rows.row_of(lane, account_state(1, 0)) == first);
  const RowAddress back = rows.row_of(lane, account_state(1, 2));
  CHECK(back != first);
  count(outside, objects, 0);
  count(second, objects, 0);
  count(second, objects, 0);
  count(back, arrays, 40);
  const std::map<Key, Amount> expected{
      {{0, 0, 7}, {1, 24}}, {{2, 1, 7}, {2, 48}}, {{1, 2, 8}, {1, 40}}};
  CHECK(sums(rows) == expected);
}

TEST_CASE("count_rows: a lane's slots lead to its rows") {
  Opened opened(64);
  CountRows& rows = opened.rows;
  const TaggedLane lane = rows.lane_for_thread(true);
  CHECK(slot(lane, 0).state == 0);
  CHECK(slot(lane, 0).row == rows.row_of(lane, 0));
  // 1 * 37 + 37 == 2 * 37 + 0
  const AccountState one = account_state(1, 37);
  const AccountState other = account_state(2, 0);
  REQUIRE(CountRows::home_slot(one) == CountRows::home_slot(other));
  CHECK(slot(lane, one).row == 0);
  const RowAddress first = rows.row_of(lane, one);
  const RowAddress second = rows.row_of(lane, other);
  CHECK(first != second);
  CHECK(slot(lane, one).state == one);
  CHECK(slot(lane, one).row == first);
  CHECK(slot(lane, other, 1).state == other);
  CHECK(slot(lane, other, 1).row == second);
  CHECK(rows.row_of(lane, one) == first);
  CHECK(rows.row_of(lane, other) == second);
}

TEST_CASE("count_rows: a state whose slots are all taken has its row all the same") {
  Opened opened(1024);
  CountRows& rows = opened.rows;
  const TaggedLane lane = rows.lane_for_thread(true);
  std::vector<AccountState> same_home;
  for (AccountId account = 1; account <= 27; ++account)
    same_home.push_back(account_state(account, 1000 - account * CountRows::kSpread));
  REQUIRE(same_home.size() > CountRows::kProbes);
  std::vector<RowAddress> made;
  for (const AccountState state : same_home) made.push_back(rows.row_of(lane, state));
  CHECK(std::set(made.begin(), made.end()).size() == made.size());
  for (std::size_t i = 0; i < made.size(); ++i) CHECK(rows.row_of(lane, same_home[i]) == made[i]);
  CHECK(rows.losses().rows_missing == 0);
}

TEST_CASE("count_rows: a thread that ends leaves its lane, and what it counted stays") {
  Opened opened;
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 16});
  const TaggedLane first = rows.lane_for_thread(true);
  const RowAddress inside = rows.row_of(first, account_state(3, 0));
  count(inside, place, 0);
  rows.thread_ended(first);
  CHECK(rows.lane_for_thread(true) == first);
  CHECK(rows.lane_for_thread(true) != first);
  CHECK(rows.row_of(first, account_state(3, 0)) == inside);
  CHECK(sums(rows) == std::map<Key, Amount>{{{3, 0, 1}, {1, 16}}});
}

TEST_CASE("count_rows: more threads than lanes share one, and lose nothing") {
  Opened opened;
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 0});
  for (std::uint32_t i = 0; i < CountRows::kMaxLanes; ++i)
    REQUIRE((rows.lane_for_thread(true) & CountRows::kTagMask) == CountRows::kOwnTag);
  constexpr int kThreads = 4;
  constexpr int kObjects = 20'000;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&] {
      const TaggedLane lane = rows.lane_for_thread(true);
      for (int k = 0; k < kObjects; ++k) {
        const AccountState state = account_state(2, 0);
        const Slot found = slot(lane, state);
        count(found.state == state ? found.row : rows.row_of(lane, state), place, 8);
      }
      rows.thread_ended(lane);
    });
  for (std::thread& each : threads) each.join();
  CHECK(rows.losses().shared_threads == kThreads);
  CHECK(sums(rows) ==
        std::map<Key, Amount>{
            {{2, 0, 1}, {kThreads * kObjects, std::uint64_t{8} * kThreads * kObjects}}});
}

TEST_CASE("count_rows: a virtual thread shares from the start") {
  Opened opened;
  CHECK((opened.rows.lane_for_thread(false) & CountRows::kTagMask) == CountRows::kSharedTag);
  CHECK(opened.rows.losses().shared_threads == 0);
}

TEST_CASE(
    "count_rows: without room a row is another one, a class one of the others, and both are "
    "counted") {
  Opened opened;
  CountRows& rows = opened.rows;
  const TaggedLane lane = rows.lane_for_thread(true);
  const RowAddress first = rows.row_of(lane, account_state(1, 0));
  opened.ledger.charge(MemoryCategory::kGraph, opened.ledger.left_bytes());
  CHECK(rows.row_of(lane, account_state(1, 2)) == first);
  CHECK(rows.row_of(lane, account_state(2, 1)) == rows.row_of(lane, 0));
  const std::uint32_t other = rows.add_class({});
  std::uint32_t last = 0;
  std::uint32_t added = 0;
  while ((last = rows.add_class({name(9), 16})) != other) REQUIRE(++added < CountRows::kMaxClasses);
  CHECK(added <= 4096 / 16);
  CHECK(rows.losses().rows_missing == 2);
  CHECK(rows.losses().classes_missing == 2);
  const TaggedLane shared = rows.lane_for_thread(true);
  CHECK((shared & CountRows::kTagMask) == CountRows::kSharedTag);
}

TEST_CASE("count_rows: an account that does not exist has no row") {
  Opened opened(2);
  const TaggedLane lane = opened.rows.lane_for_thread(true);
  CHECK(opened.rows.row_of(lane, account_state(2, 0)) == opened.rows.row_of(lane, 0));
  CHECK(opened.rows.row_of(lane, account_state(1, 0)) != opened.rows.row_of(lane, 0));
}

TEST_CASE("count_rows: ten thousand accounts") {
  Opened opened(10'001);
  CountRows& rows = opened.rows;
  const std::uint32_t place = rows.add_class({name(1), 8});
  const TaggedLane lane = rows.lane_for_thread(true);
  for (const AccountId account : {1u, 5000u, 10'000u})
    count(rows.row_of(lane, account_state(account, 0)), place, 0);
  CHECK(sums(rows).size() == 3);
}

TEST_CASE("count_rows: no address space, no counting") {
  Ledger ledger(0);
  CountRows rows;
  CHECK_FALSE(rows.open(4, ledger, MemoryCategory::kAccounts));
}
