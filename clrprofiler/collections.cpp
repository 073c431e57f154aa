#include "clrprofiler/collections.h"

#include <span>

namespace holdfast::clr {

namespace {

constexpr int kWholeGeneration = 2;

}  // namespace

void Collections::started(int generations, const BOOL* collected) noexcept {
  const bool whole = generations > kWholeGeneration && collected[kWholeGeneration] != 0;
  (whole ? whole_ : young_).fetch_add(1, std::memory_order_relaxed);
}

void Collections::finished(ProfilerInfo& info) noexcept {
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
  CollectionFigures figures;
  if (used_bytes() == kUnknownCount) return figures;
  figures.young = young_.load(std::memory_order_relaxed);
  figures.full = whole_.load(std::memory_order_relaxed);
  figures.used_after_bytes = used_bytes();
  figures.max_bytes = limit_;
  return figures;
}

}  // namespace holdfast::clr
