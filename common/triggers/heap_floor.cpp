#include "common/triggers/heap_floor.h"

#include <algorithm>

namespace holdfast {

bool HeapFloor::possible(const CollectionFigures& figures) noexcept {
  return (figures.one_generation || figures.whole_pauses != kUnknownCount) &&
         figures.used_after_bytes != kUnknownCount && figures.max_bytes != kUnknownCount &&
         figures.max_bytes != 0;
}

void HeapFloor::begin(std::uint32_t threshold_percent, const CollectionFigures& now) noexcept {
  *this = HeapFloor{};
  threshold_ = threshold_percent;
  stamp_ = now.allocation_stamp;
}

std::uint32_t HeapFloor::bound(const CollectionFigures& figures) noexcept {
  std::uint64_t left = figures.used_after_bytes;
  const bool begins =
      figures.allocated_bytes != kUnknownCount && figures.allocation_stamp != stamp_;
  if (begins) left -= std::min(left, figures.allocated_bytes);
  stamp_ = figures.allocation_stamp;
  return static_cast<std::uint32_t>(left * 100 / figures.max_bytes);
}

void HeapFloor::begin_stretch(std::uint32_t percent, std::uint64_t whole,
                              std::uint64_t now_ns) noexcept {
  stretch_ = true;
  since_ns_ = now_ns;
  whole_then_ = whole;
  least_ = percent;
}

HeapLevel::Reading HeapFloor::below(std::uint32_t percent) noexcept {
  stretch_ = false;
  return {true, percent};
}

HeapLevel::Reading HeapFloor::look(const CollectionFigures& figures) noexcept {
  if (!stretch_ || !possible(figures)) return {};
  const auto percent =
      static_cast<std::uint32_t>(figures.used_after_bytes * 100 / figures.max_bytes);
  if (percent < threshold_) return below(percent);
  least_ = std::min(least_, percent);
  return {};
}

HeapLevel::Reading HeapFloor::after(const CollectionFigures& figures,
                                    std::uint64_t now_ns) noexcept {
  if (threshold_ == 0 || !possible(figures)) return {};
  const std::uint64_t whole = figures.one_generation ? ++pauses_ : figures.whole_pauses;
  const std::uint32_t percent = bound(figures);
  if (percent < threshold_) return below(percent);
  if (!stretch_) {
    begin_stretch(percent, whole, now_ns);
    return {};
  }
  least_ = std::min(least_, percent);
  const std::uint64_t enough_ns = least_ >= kNearlyFullPercent ? kNearlyFullNs : kStretchNs;
  if (whole - whole_then_ < kWholePauses || now_ns - since_ns_ < enough_ns) return {};
  stretch_ = false;
  return {true, least_};
}

}  // namespace holdfast
