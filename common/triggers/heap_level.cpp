#include "common/triggers/heap_level.h"

namespace holdfast {

bool HeapLevel::possible(const CollectionFigures& figures) noexcept {
  const bool whole = figures.full != kUnknownCount || figures.cycles != kUnknownCount;
  return whole && figures.used_after_bytes != kUnknownCount && figures.max_bytes != kUnknownCount &&
         figures.max_bytes != 0;
}

void HeapLevel::begin(std::uint32_t threshold_percent, const CollectionFigures& now) noexcept {
  *this = HeapLevel{};
  threshold_ = threshold_percent;
  full_ = now.full;
}

HeapLevel::Reading HeapLevel::after(const CollectionFigures& figures) noexcept {
  if (threshold_ == 0 || !possible(figures)) return {};
  const bool was_full = figures.full != kUnknownCount && figures.full > full_;
  full_ = figures.full;
  // Bytes are below 2^57, so that a hundred times as many still fit.
  const auto percent =
      static_cast<std::uint32_t>(figures.used_after_bytes * 100 / figures.max_bytes);
  if (percent < threshold_ || was_full) {
    stretch_ = false;
    return {true, percent};
  }
  if (!stretch_) {
    stretch_ = true;
    cycles_ = figures.cycles;
    followed_ = 0;
    return {};
  }
  if (figures.cycles == kUnknownCount || figures.cycles == cycles_) return {};
  if (++followed_ < kCollectionsAfterMarking) return {};
  stretch_ = false;
  return {true, percent};
}

}  // namespace holdfast
