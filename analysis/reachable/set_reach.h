// What the objects of a set reach together: exact, by one marking.
// Why: reachable sizes overlap, so those of a set's members do not add up. A buffer and a list of the same objects retain little each; asked
//      for what they reach, both answer alike, and so do both together.
// Shape:  the answer has the members and all that they reach over references whose strength is in `holding`; those implied from objects to
//         their class objects do not count, as in all reachable sizes. For a set of one object: its reachable size.
//         Result n / 8 B, scratch a stack of 4 B an object. O(n + m).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], chapter 2 ("dynamic size"), of a set.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/object_sets.h"

namespace holdfast::analysis {

Result<ObjectSet> set_reach(const CountedReferences& references, StrengthSet holding,
                            const ObjectSet& set, Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
