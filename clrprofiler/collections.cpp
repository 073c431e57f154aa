#include "clrprofiler/collections.h"

#include <span>

namespace holdfast::clr {

namespace {

constexpr int kWholeGeneration = 2;
constexpr int kMostRunning = 2;

}  // namespace

void Collections::started(ProfilerInfo& info, int generations, const BOOL* collected) noexcept {
  count_begin(generations, collected);
  if (!own_) log_.began(read_bounds(info).used);
}

void Collections::stands_still(std::uint64_t now_ns) noexcept {
  if (!forces_.load(std::memory_order_acquire)) still_since_ns_ = now_ns;
}

void Collections::resumed(std::uint64_t now_ns) noexcept {
  resumed_.store(true, std::memory_order_release);
  if (still_since_ns_ != 0 && now_ns > still_since_ns_) note_pause(now_ns - still_since_ns_);
  still_since_ns_ = 0;
}

void Collections::note_pause(std::uint64_t pause_ns) noexcept {
  const std::uint64_t before = pause_ns_.load(std::memory_order_relaxed);
  pause_ns_.store(before == kUnknownCount ? pause_ns : before + pause_ns,
                  std::memory_order_relaxed);
  log_.paused(pause_ns);
}

void Collections::count_begin(int generations, const BOOL* collected) noexcept {
  if (anew_.exchange(false, std::memory_order_acquire) || running_ == kMostRunning) running_ = 0;
  if (++running_ != 1) return;
  whole_ = generations > kWholeGeneration && collected[kWholeGeneration] != 0;
  own_ = forces_.load(std::memory_order_acquire);
  resumed_.store(false, std::memory_order_release);
}

void Collections::finished(ProfilerInfo& info) noexcept {
  const Bounds bounds = read_bounds(info);
  if (bounds.used != kUnknownCount) {
    used_.store(bounds.used, std::memory_order_relaxed);
    committed_.store(bounds.committed, std::memory_order_relaxed);
  }
  if (running_ == 0) return;  // it began before anything was told, or its end is told twice
  const bool outer = --running_ == 0;
  if (!own_ && !(outer && beside())) log_.ended(bounds.used);
  if (!outer || !whole_)
    young_.fetch_add(1, std::memory_order_relaxed);
  else if (!own_)
    (resumed_.load(std::memory_order_acquire) ? cycles_ : full_)
        .fetch_add(1, std::memory_order_relaxed);
}

Collections::Bounds Collections::read_bounds(ProfilerInfo& info) noexcept {
  ULONG count = 0;
  const HRESULT told = info->GetGenerationBounds(kMostRanges, &count, ranges_);
  if (!succeeded(told) || count > kMostRanges) return {};
  Bounds bounds{0, 0};
  for (const auto& range : std::span(ranges_, count)) {
    bounds.used += range.rangeLength;
    bounds.committed += range.rangeLengthReserved;
  }
  return bounds;
}

CollectionFigures Collections::figures() const noexcept {
  if (used_bytes() == kUnknownCount) return {};
  CollectionFigures figures = figures_once_told();
  figures.heard = log_.read();
  figures.used_after_bytes = used_bytes();
  figures.pause_ns = pause_ns_.load(std::memory_order_relaxed);
  figures.last_pause_ns = log_.last_pause_ns();
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
