// What a set of objects retains: at least (by dominators, quick) and exactly (by removing it, one marking of the graph).
// Why both: members may hold an object together that none of them dominates alone; the minimum does not know of it.
//      minimum retained <= exact retained, and equal for a set of one object.
// Shape:  minimum: O(held), no memory. Exact: O(n + m), results n / 8 B, scratch 4 B an object + n / 8 B.
//         Objects that are not held are in no figure.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: Eclipse MAT (minimum and exact retained size of a class).
#pragma once

#include "analysis/counted_references.h"
#include "analysis/object_sets.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct MinimumRetained {
  std::uint64_t members = 0;  // held ones
  std::uint64_t member_shallow_bytes = 0;
  std::uint64_t top_members = 0;  // those that no other member dominates
  std::uint64_t retained_objects = 0;
  std::uint64_t retained_bytes = 0;
};
Result<MinimumRetained> minimum_retained(const Snapshot& snapshot, const Dominators& dominators,
                                         const ObjectSet& set, const CancelToken& cancel) noexcept;

// Everything that becomes unreachable when all members, roots too, are removed; the held members are in it.
// `objects` and `shallow_bytes` of the answer are the exact figures. `holding` is what the dominators were computed with.
Result<ObjectSet> retained_set(const CountedReferences& references, StrengthSet holding,
                               const Dominators& dominators, const ObjectSet& set, Arena& arena,
                               const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
