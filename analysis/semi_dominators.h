// Phase 2 of the dominators, in preorder numbers: semidominators, then immediate dominators.
// Why a step budget: Semi-NCA's walk up to the immediate dominator is quadratic on real shapes (children in reverse order: 10.7 s
//      instead of 0.7 s on 10 million objects; a ladder of 400,000: 54.7 s). After 4n steps jump pointers bound every walk.
// Shape:  the stored references turned round: 4 B each beside the 4 B they have. Path halving: O(e log h), no stack.
//         Jump pointers live in the memory of the pairs, which are done with by then.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/dominator_arrays.h"

namespace holdfast::analysis {

struct WalkOutcome {
  std::uint64_t steps = 0;
  bool jump_pointers = false;
};

// semi[v] becomes the semidominator of v. `cross` is used up.
Result<void> find_semi_dominators(DominatorArrays& arrays, Arena& arena,
                                  const CancelToken& cancel) noexcept;

// parent[v] becomes the immediate dominator of v.
Result<WalkOutcome> find_immediate_dominators(DominatorArrays& arrays,
                                              const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
