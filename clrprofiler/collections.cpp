#include "clrprofiler/collections.h"

#include <span>

namespace holdfast::clr {

namespace {

constexpr int kWholeGeneration = 2;
constexpr int kMostRunning = 2;

}  // namespace

void Collections::started(int generations, const BOOL* collected) noexcept {
  if (anew_.exchange(false, std::memory_order_acquire) || running_ == kMostRunning) running_ = 0;
  if (++running_ != 1) return;
  whole_ = generations > kWholeGeneration && collected[kWholeGeneration] != 0;
  own_ = forces_.load(std::memory_order_acquire);
  resumed_.store(false, std::memory_order_release);
}

void Collections::finished(ProfilerInfo& info) noexcept {
  read_bounds(info);
  if (running_ == 0) return;  // it began before anything was told, or its end is told twice
  const bool outer = --running_ == 0;
  if (!outer || !whole_)
    young_.fetch_add(1, std::memory_order_relaxed);
  else if (!own_)
    (resumed_.load(std::memory_order_acquire) ? cycles_ : full_)
        .fetch_add(1, std::memory_order_relaxed);
}

void Collections::read_bounds(ProfilerInfo& info) noexcept {
  ULONG count = 0;
  const HRESULT told = info->GetGenerationBounds(kMostRanges, &count, ranges_);
  if (!succeeded(told) || count > kMostRanges) return;
  std::uint64_t used = 0, committed = 0;
  for (const auto& range : std::span(ranges_, count)) {
    used += range.rangeLength;
    committed += range.rangeLengthReserved;
  }
  used_.store(used, std::memory_order_relaxed);
  committed_.store(committed, std::memory_order_relaxed);
}

CollectionFigures Collections::figures() const noexcept {
  if (used_bytes() == kUnknownCount) return {};
  CollectionFigures figures = figures_once_told();
  figures.used_after_bytes = used_bytes();
  return figures;
}

CollectionFigures Collections::figures_once_told() const noexcept {
  CollectionFigures figures;
  figures.young = young_.load(std::memory_order_relaxed);
  figures.full = full_.load(std::memory_order_relaxed);
  figures.cycles = cycles_.load(std::memory_order_relaxed);
  figures.cycles_collect = true;
  figures.used_after_bytes = 0;
  figures.max_bytes = limit_;
  return figures;
}

}  // namespace holdfast::clr
