#include "common/ledger.h"

#include <doctest/doctest.h>

#include <atomic>
#include <random>

#include "platforms/thread.h"

using namespace holdfast;

namespace {

constexpr MemoryCategory kAll[] = {MemoryCategory::kCatalog, MemoryCategory::kCapture,
                                   MemoryCategory::kGraph,   MemoryCategory::kAnalysis,
                                   MemoryCategory::kReport,  MemoryCategory::kWorker,
                                   MemoryCategory::kAccounts};

std::uint64_t sum_of_categories(const Ledger& ledger) {
  std::uint64_t sum = 0;
  for (const MemoryCategory category : kAll) sum += ledger.category_bytes(category);
  return sum;
}

}  // namespace

TEST_CASE("a charge counts once in its category and once in the total") {
  Ledger ledger(1000);
  CHECK(ledger.charge(MemoryCategory::kGraph, 300));
  CHECK(ledger.charge(MemoryCategory::kReport, 100));
  CHECK(ledger.total_bytes() == 400);
  CHECK(ledger.left_bytes() == 600);
  CHECK(ledger.category_bytes(MemoryCategory::kGraph) == 300);
  ledger.refund(MemoryCategory::kGraph, 300);
  CHECK(ledger.total_bytes() == 100);
  CHECK(ledger.peak_bytes() == 400);
  CHECK(ledger.category_peak_bytes(MemoryCategory::kGraph) == 300);
  ledger.restart_peaks();
  CHECK(ledger.peak_bytes() == 100);
  CHECK(ledger.category_peak_bytes(MemoryCategory::kGraph) == 0);
  CHECK(ledger.category_peak_bytes(MemoryCategory::kReport) == 100);
}

TEST_CASE("a refused charge changes nothing, at the limit and beyond every number") {
  Ledger ledger(1000);
  CHECK(ledger.charge(MemoryCategory::kCapture, 999));
  CHECK_FALSE(ledger.charge(MemoryCategory::kCapture, 2));
  CHECK_FALSE(ledger.charge(MemoryCategory::kGraph, UINT64_MAX));
  CHECK_FALSE(ledger.charge(MemoryCategory::kGraph, UINT64_MAX - 998));
  CHECK(ledger.total_bytes() == 999);
  CHECK(ledger.peak_bytes() == 999);
  CHECK(ledger.category_peak_bytes(MemoryCategory::kGraph) == 0);
  CHECK(ledger.charge(MemoryCategory::kCapture, 1));
  CHECK(ledger.charge(MemoryCategory::kCapture, 0));
  CHECK(ledger.left_bytes() == 0);
}

TEST_CASE("threads that charge at once never pass the limit, and everything adds up afterwards") {
  struct Shared {
    Ledger ledger{100'000};
    std::atomic<bool> passed_limit{false};
    std::atomic<std::uint32_t> seed{1};
    std::atomic<std::uint64_t> kept{0};
  } shared;
  const auto work = [](void* raw) {
    auto& all = *static_cast<Shared*>(raw);
    std::mt19937 random(all.seed.fetch_add(1));
    for (int round = 0; round < 20'000; ++round) {
      const MemoryCategory category = kAll[random() % kMemoryCategoryCount];
      const std::uint64_t bytes = random() % 40'000;
      if (!all.ledger.charge(category, bytes)) continue;
      if (all.ledger.total_bytes() > 100'000) all.passed_limit = true;
      if (all.ledger.peak_bytes() > 100'000) all.passed_limit = true;
      const std::uint64_t keep = round % 1000 == 0 ? bytes / 1000 : 0;
      all.ledger.refund(category, bytes - keep);
      all.kept.fetch_add(keep);
    }
  };
  platforms::Thread threads[4];
  for (auto& thread : threads) REQUIRE(thread.start("hf-charge", 1 << 18, work, &shared) == 0);
  for (auto& thread : threads) thread.join();
  CHECK_FALSE(shared.passed_limit);
  CHECK(shared.ledger.total_bytes() == shared.kept);
  CHECK(sum_of_categories(shared.ledger) == shared.ledger.total_bytes());
}

TEST_CASE("every category has a name of its own") {
  for (const MemoryCategory a : kAll)
    for (const MemoryCategory b : kAll)
      CHECK((memory_category_name(a) == memory_category_name(b)) == (a == b));
  CHECK(memory_category_name(MemoryCategory::kWorker) == "worker");
}
