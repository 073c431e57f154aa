#include "jvmti/hotspot/free_regions.h"
#include "platforms/pages.h"

namespace holdfast::jvmti {

bool FreeRegions::is_free(std::size_t i) const noexcept {
  const Address region = regions_[i];
  if (region == 0 || load<std::uint8_t>(region + layout_.region_tag) != 0) return false;
  const auto bottom = load<Address>(region + layout_.region_bottom);
  return bottom == start_of(i) && load<Address>(region + layout_.region_top) == bottom;
}

void FreeRegions::add(std::size_t first, std::size_t end) noexcept {
  constexpr std::uint64_t kHugePage = std::uint64_t{2} << 20;
  const Address start = (start_of(first) + kHugePage - 1) / kHugePage * kHugePage;
  const Address behind = start_of(end) / kHugePage * kHugePage;
  if (count_ == kMostRuns || behind < start + kLeastRunBytes) return;
  auto* const at = reinterpret_cast<std::byte*>(start);
  if (!platforms::keep_from_children(at, behind - start)) return;
  runs_[count_++] = {at, behind - start};
  bytes_ += behind - start;
}

void FreeRegions::leave_out() noexcept {
  std::size_t first = 0;
  for (std::size_t i = 0; i <= regions_.size(); ++i) {
    if (i < regions_.size() && is_free(i)) continue;
    if (i > first) add(first, i);
    first = i + 1;
  }
}

void FreeRegions::take_back() noexcept {
  for (; count_ != 0; --count_)
    platforms::give_to_children(runs_[count_ - 1].start, runs_[count_ - 1].bytes);
}

}  // namespace holdfast::jvmti
