#include "clrprofiler/ages/age_ranges.h"

namespace holdfast::clr {

Result<void> AgeRanges::open(Arena& arena, std::size_t most_ranges) noexcept {
  HF_TRY(one, arena.make<AgeRange>(most_ranges));
  HF_TRY(two, arena.make<AgeRange>(most_ranges));
  HF_CHECK_OK(listings_[0].open(arena));
  HF_CHECK_OK(listings_[1].open(arena));
  HF_CHECK_OK(told_.open(arena, chunks_for(most_ranges)));
  current_ = one;
  next_ = two;
  return {};
}

}  // namespace holdfast::clr
