#include "common/ledger.h"

#include <cassert>

namespace holdfast {

namespace {

std::size_t index_of(MemoryCategory category) noexcept {
  return static_cast<std::size_t>(category);
}

void raise_to(std::atomic<std::uint64_t>& peak, std::uint64_t value) noexcept {
  std::uint64_t seen = peak.load(std::memory_order_relaxed);
  while (seen < value && !peak.compare_exchange_weak(seen, value, std::memory_order_relaxed)) {
  }
}

}  // namespace

std::string_view memory_category_name(MemoryCategory category) noexcept {
  switch (category) {
    case MemoryCategory::kCatalog:
      return "catalog";
    case MemoryCategory::kCapture:
      return "capture";
    case MemoryCategory::kGraph:
      return "graph";
    case MemoryCategory::kAnalysis:
      return "analysis";
    case MemoryCategory::kReport:
      return "report";
    case MemoryCategory::kWorker:
      return "worker";
    case MemoryCategory::kAccounts:
      return "accounts";
  }
  return "unknown";
}

bool Ledger::charge(MemoryCategory category, std::uint64_t bytes) noexcept {
  std::uint64_t total = total_.load(std::memory_order_relaxed);
  do {
    if (bytes > limit_bytes_ - total) return false;
  } while (!total_.compare_exchange_weak(total, total + bytes, std::memory_order_relaxed));
  raise_to(peak_, total + bytes);
  const std::size_t i = index_of(category);
  raise_to(category_peaks_[i], categories_[i].fetch_add(bytes, std::memory_order_relaxed) + bytes);
  return true;
}

void Ledger::refund(MemoryCategory category, std::uint64_t bytes) noexcept {
  // First the category: so the total is never below the sum of the categories.
  [[maybe_unused]] const std::uint64_t charged =
      categories_[index_of(category)].fetch_sub(bytes, std::memory_order_relaxed);
  assert(charged >= bytes);
  total_.fetch_sub(bytes, std::memory_order_relaxed);
}

std::uint64_t Ledger::category_bytes(MemoryCategory category) const noexcept {
  return categories_[index_of(category)].load(std::memory_order_relaxed);
}

std::uint64_t Ledger::category_peak_bytes(MemoryCategory category) const noexcept {
  return category_peaks_[index_of(category)].load(std::memory_order_relaxed);
}

void Ledger::restart_peaks() noexcept {
  peak_.store(total_bytes(), std::memory_order_relaxed);
  for (std::size_t i = 0; i < kMemoryCategoryCount; ++i)
    category_peaks_[i].store(categories_[i].load(std::memory_order_relaxed),
                             std::memory_order_relaxed);
}

}  // namespace holdfast
