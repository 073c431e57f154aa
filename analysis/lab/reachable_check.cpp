#include "analysis/lab/reachable_check.h"

#include <algorithm>
#include <cmath>

#include "analysis/lab/random.h"

namespace holdfast::analysis::lab {

ReachableSearch::ReachableSearch(const Snapshot& snapshot, StrengthSet holding)
    : snapshot_(snapshot), holding_(holding), met_(snapshot.object_count()) {}

std::uint64_t ReachableSearch::bytes_from(std::uint32_t from) {
  queue_ = {from};
  met_[from] = ++number_;
  std::uint64_t bytes = 0;
  for (std::size_t at = 0; at < queue_.size(); ++at) {
    const std::uint32_t v = queue_[at];
    bytes += snapshot_.shallow_bytes(ObjectId{v});
    for (std::uint32_t i = snapshot_.first_ref[v]; i < snapshot_.first_ref[v + 1]; ++i) {
      const std::uint32_t to = snapshot_.target[i].value;
      const bool counts = (holding_ & strength_bit(strength_of(snapshot_.label[i]))) != 0;
      if (!counts || met_[to] == number_) continue;
      met_[to] = number_;
      queue_.push_back(to);
    }
  }
  return bytes;
}

namespace {

void compare(const ReachableSizes& sizes, ObjectId object, std::uint64_t searched,
             ReachableCheck& check) {
  const std::uint64_t shown = sizes.of(object);
  ++check.checked;
  if (!sizes.is_estimate(object)) {
    if (shown != searched) check.wrong.push_back({object, shown, searched});
    return;
  }
  const double exact = static_cast<double>(searched);
  const double error = std::abs(static_cast<double>(shown) - exact) / exact;
  ++check.estimates;
  check.mean_error += error;
  check.largest_error = std::max(check.largest_error, error);
  check.beyond_3_sigma += error > 3 * sizes.standard_error ? 1 : 0;
}

}  // namespace

Result<ReachableCheck> check_reachable(const Snapshot& snapshot, StrengthSet holding,
                                       const ReachableLimits& limits, std::uint64_t count,
                                       std::uint64_t seed, Arena& arena) {
  const CancelToken cancel;
  ArenaScope scope(arena);
  HF_TRY(references, CountedReferences::make(snapshot, arena, cancel));
  HF_TRY(condensation, condense(references, {holding}, arena, cancel));
  HF_TRY(sizes, reachable_sizes(condensation, limits, arena, cancel));
  ReachableCheck check;
  ReachableSearch search(snapshot, holding);
  Random random(seed);
  const std::uint32_t n = snapshot.object_count();
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, n); ++i) {
    const std::uint32_t v = count >= n ? static_cast<std::uint32_t>(i) : random.below(n);
    compare(sizes, ObjectId{v}, search.bytes_from(v), check);
  }
  const double estimates = static_cast<double>(std::max<std::uint64_t>(check.estimates, 1));
  check.mean_error /= estimates;
  check.beyond_3_sigma /= estimates;
  check.sizes = sizes;
  check.sizes.component = {};
  check.sizes.bytes = {};
  check.sizes.estimated = {};
  return check;
}

}  // namespace holdfast::analysis::lab
