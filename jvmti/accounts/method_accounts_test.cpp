#include "jvmti/accounts/method_accounts.h"

#include <doctest/doctest.h>

#include <thread>
#include <vector>

#include "common/arena_for_test.h"

using namespace holdfast;
using namespace holdfast::jvmti;

namespace {

jmethodID method(std::uint64_t id) {
  return reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(id));
}

struct Table {
  TestArena memory;
  MethodAccounts accounts;
  Table() { REQUIRE(accounts.open(memory.arena()).ok()); }
  // -1: not known.
  int find(std::uint64_t id) {
    AccountId account = 0;
    return accounts.find(method(id), account) ? static_cast<int>(account) : -1;
  }
};

}  // namespace

TEST_CASE("methods are remembered with their account, the one outside of all too") {
  Table table;
  CHECK(table.find(0x7f00'1234'5678) == -1);
  table.accounts.put(method(0x7f00'1234'5678), 7);
  table.accounts.put(method(0x7f00'1234'5680), 0);
  table.accounts.put(method(1), 10'000);
  CHECK(table.find(0x7f00'1234'5678) == 7);
  CHECK(table.find(0x7f00'1234'5680) == 0);
  CHECK(table.find(1) == 10'000);
  CHECK(table.find(2) == -1);
}

TEST_CASE("no method, and one that is too large a number, are never known") {
  Table table;
  table.accounts.put(nullptr, 1);
  table.accounts.put(method(std::uint64_t{1} << 48), 1);
  CHECK(table.find(0) == -1);
  CHECK(table.find(std::uint64_t{1} << 48) == -1);
}

TEST_CASE("addresses and consecutive numbers both find room for half of the slots") {
  for (const std::uint64_t step : {std::uint64_t{8}, std::uint64_t{1}, std::uint64_t{64}}) {
    Table table;
    const std::uint64_t base = step == 1 ? 1 : 0x7f12'0000'0000;
    constexpr std::uint32_t kCount = MethodAccounts::kSlots / 2;
    for (std::uint32_t i = 0; i < kCount; ++i)
      table.accounts.put(method(base + i * step), i % 10'000);
    std::uint32_t known = 0;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      const int found = table.find(base + i * step);
      if (found >= 0) CHECK(found == static_cast<int>(i % 10'000));
      known += found >= 0;
    }
    CHECK(known > kCount * 95 / 100);
  }
}

TEST_CASE("a full table forgets the old and keeps the new, and what it says is right") {
  Table table;
  for (std::uint64_t id = 1; id <= 10 * MethodAccounts::kSlots; ++id) {
    table.accounts.put(method(id), static_cast<AccountId>(id % 10'000));
    REQUIRE(table.find(id) == static_cast<int>(id % 10'000));
  }
  std::uint32_t wrong = 0;
  for (std::uint64_t id = 1; id <= 10 * MethodAccounts::kSlots; ++id) {
    const int found = table.find(id);
    wrong += found >= 0 && found != static_cast<int>(id % 10'000);
  }
  CHECK(wrong == 0);
}

TEST_CASE("threads that read and write at once see whole pairs alone") {
  Table table;
  std::atomic<std::uint32_t> wrong{0};
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (std::uint64_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 200'000; ++i) {
        const std::uint64_t id = 1 + (i * (t + 3)) % 100'000;
        const int found = table.find(id);
        if (found >= 0 && found != static_cast<int>(id % 10'000)) ++wrong;
        table.accounts.put(method(id), static_cast<AccountId>(id % 10'000));
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
