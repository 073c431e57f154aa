// Reachable sizes against breadth-first search from one object after another, on any graph.
// Why: the search is the definition. What is exact must be equal; what is estimated has a stated error, which is counted here.
// Shape:  `count` random objects, all where there are no more; the search costs O(what an object reaches) each, 8 B an object.
//         mean_error, largest_error (shares of the size), beyond_3_sigma (a share): of the objects whose size is an estimate.
// Zone:   offline.   Errors: a pass's, as its own.
#pragma once

#include <vector>

#include "analysis/reachable/reachable_size.h"

namespace holdfast::analysis::lab {

class ReachableSearch {
 public:
  ReachableSearch(const Snapshot& snapshot, StrengthSet holding);
  // Own bytes and those of all that `from` reaches by stored references of these strengths.
  std::uint64_t bytes_from(std::uint32_t from);

 private:
  const Snapshot& snapshot_;
  StrengthSet holding_;
  std::vector<std::uint32_t> met_, queue_;
  std::uint32_t number_ = 0;
};

struct WrongReachable {
  ObjectId object;
  std::uint64_t reachable_bytes = 0, searched_bytes = 0;
};

struct ReachableCheck {
  std::uint64_t checked = 0, estimates = 0;
  std::vector<WrongReachable> wrong;  // of the exact ones
  double mean_error = 0, largest_error = 0, beyond_3_sigma = 0;
  ReachableSizes sizes;  // without its spans, which were the arena's
};

Result<ReachableCheck> check_reachable(const Snapshot& snapshot, StrengthSet holding,
                                       const ReachableLimits& limits, std::uint64_t count,
                                       std::uint64_t seed, Arena& arena);

}  // namespace holdfast::analysis::lab
