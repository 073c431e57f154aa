// Marks what the GC roots still reach when some objects do not exist: one search, a bit an object.
// Roots hold nothing of what roots of a longer lifespan hold (analysis/dominators.h).
// Shape:  results n / 8 B; scratch a stack of 4 B an object, and n / 8 B. O(n + m). Only references
//         whose strength is in `holding` are followed.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/object_sets.h"

namespace holdfast::analysis {

// The marked objects with their number and bytes; those of `removed` are never marked and nothing is followed through them.
Result<ObjectSet> mark_without(const CountedReferences& references, StrengthSet holding,
                               const ObjectSet& removed, Arena& arena,
                               const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
