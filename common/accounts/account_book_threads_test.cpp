// Many threads at the book at once, as allocating ones, collectors and the capture thread are. Under TSan it looks for races.
#include <doctest/doctest.h>

#include <atomic>
#include <string>

#include "common/accounts/account_fixture.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

using namespace holdfast;

namespace {

constexpr int kThreads = 4;
constexpr std::uint64_t kRounds = 20'000;
constexpr std::uint64_t kBytes = 24;

struct Shared {
  explicit Shared(const AccountRoom& room) : test(sampled_by(0), "shop.*+pay.*", room) {}
  TestBook test;
  std::atomic<std::uint64_t> seed{1};
  std::atomic<std::uint64_t> alive{0};
  std::atomic<int> running{kThreads};
};

// Allocates under names of its own and of all, keeps every tenth object.
void allocate(void* raw) {
  auto& shared = *static_cast<Shared*>(raw);
  AccountBook& book = shared.test.book;
  const std::uint64_t me = shared.seed.fetch_add(1);
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    const std::string name = i % 2 == 0 ? "shop.C" + std::to_string(i % 50)
                                        : "shop.T" + std::to_string(me * 100 + i % 30);
    const AllocationKey key{static_cast<AccountId>(i % 3), 0, book.name(name)};
    const AccountBook::LiveTag tag = book.sampled(key, kBytes);
    if (i % 10 == 0)
      shared.alive.fetch_add(1);
    else
      book.died(tag);
    if (i % 100 == 0) book.lose(&AccountLosses::stacks_cut);
  }
  shared.running.fetch_sub(1);
}

std::uint64_t objects_of(const AccountFigures& figures, AccountAmount AccountRow::*amount) {
  std::uint64_t sum = 0;
  for (const AccountRow& row : figures.rows) sum += (row.*amount).objects;
  return sum;
}

}  // namespace

TEST_CASE("threads at one book: nothing is lost, nothing counted twice, each read makes sense") {
  Shared shared(AccountRoom{1 << 10, 1 << 14, 1 << 10, 64 << 10});
  platforms::Thread threads[kThreads];
  for (auto& thread : threads) REQUIRE(thread.start("hf-alloc", 1 << 18, &allocate, &shared) == 0);
  std::uint64_t before = 0;
  int reads = 0;
  do {
    const AccountFigures figures = shared.test.read();
    const std::uint64_t allocated = objects_of(figures, &AccountRow::allocated);
    CHECK(allocated >= before);
    CHECK(objects_of(figures, &AccountRow::live) <= allocated);
    CHECK(objects_of(figures, &AccountRow::since_report) <= allocated);
    before = allocated;
    if (++reads % 2 == 0) shared.test.book.reported(platforms::utc_ms());
  } while (shared.running != 0);
  for (auto& thread : threads) thread.join();
  const AccountFigures figures = shared.test.read();
  CHECK(objects_of(figures, &AccountRow::allocated) == kThreads * kRounds);
  CHECK(objects_of(figures, &AccountRow::live) == shared.alive);
  CHECK(figures.losses.rows_full == 0);
  CHECK(figures.losses.live_thinned == 0);
  CHECK(figures.losses.stacks_cut == kThreads * kRounds / 100);
}

TEST_CASE("threads at a book that is too small for them: thinned and overflown, still whole") {
  Shared shared(AccountRoom{16, 64, 64, 1024});
  platforms::Thread threads[kThreads];
  for (auto& thread : threads) REQUIRE(thread.start("hf-alloc", 1 << 18, &allocate, &shared) == 0);
  while (shared.running != 0) shared.test.read();
  for (auto& thread : threads) thread.join();
  const AccountFigures figures = shared.test.read();
  CHECK(objects_of(figures, &AccountRow::allocated) == kThreads * kRounds);
  CHECK(figures.losses.rows_full > 0);
  CHECK(figures.losses.live_thinned > 0);
  AccountAmount live;
  for (const AccountRow& row : figures.rows) {
    live.objects += row.live.objects;
    live.objects_variance += row.live.objects_variance;
  }
  const double off = static_cast<double>(live.objects) - static_cast<double>(shared.alive);
  CHECK(off * off < 25 * live.objects_variance);
}
