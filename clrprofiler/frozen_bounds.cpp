#include "clrprofiler/frozen_bounds.h"

namespace holdfast::clr {

Result<std::span<AddressRange>> read_frozen_bounds(ProfilerInfo& info, Arena& arena) noexcept {
  constexpr ULONG kMostRanges = 4096;
  if (!info.has(Needs::kFrozenObjects)) return make_error(ErrorCode::kUnsupported, info.version());
  HF_TRY(told,
         arena.make_filled<COR_PRF_NONGC_HEAP_RANGE>(kMostRanges, COR_PRF_NONGC_HEAP_RANGE{}));
  ULONG count = 0;
  HF_CHECK_OK(check(info->GetNonGCHeapBounds(kMostRanges, &count, told.data())));
  if (count > kMostRanges) return make_error(ErrorCode::kTooMany, count);
  HF_TRY(ranges, arena.make<AddressRange>(count));
  for (ULONG i = 0; i < count; ++i)
    ranges[i] = {told[i].rangeStart, told[i].rangeStart + told[i].rangeLength};
  return ranges;
}

}  // namespace holdfast::clr
