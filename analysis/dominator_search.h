// Phase 1 of the dominators: the depth-first search that numbers objects and classifies references while it meets them.
// Why all unvisited referents go on the stack at once: their numbers are read together (the misses overlap), and the stored
//      references of one object end up next to each other, so they need no source.
// Shape:  a reference met while its target is unvisited is pushed (tree or, when popped too late, forward: then semi is lowered);
//         to a visited target it is stored (cross or back); to a root object, to itself, or to what roots
//         of a longer lifespan reached, dropped. Each reference is looked at
//         once and popped at most once. Stored: 4 B each here, drawn from the arena in steps.
// Zone:   worker, offline.   Errors: kOutOfBudget, kTooMany, kCancelled.
#pragma once

#include "analysis/dominator_arrays.h"

namespace holdfast::analysis {

struct SearchOutcome {
  bool stack_spilled = false;
};

// Fills held, number, vertex, parent, semi, cross_start and cross.
Result<SearchOutcome> search_depth_first(const CountedReferences& references, StrengthSet holding,
                                         DominatorArrays& arrays, Arena& arena,
                                         const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
