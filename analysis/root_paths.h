// The shortest path from a GC root to an object, over the strongest references that reach it, step by step with its labels.
// Shape:  a walk up the parents that reachability left; labels by a scan of each parent's row. At most kMaxPathSteps steps of
//         8 B each: of a longer path the first and the last half remain. O(length + rows on the path + roots).
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis {

class FilteredReferences;

// An object that is not reachable has a path of length 0.
Result<RootPathResult> root_path(const CountedReferences& references,
                                 const Reachability& reachability, ObjectId object,
                                 Arena& arena) noexcept;
// Without the references that are left out; `reachability` is what was found without them.
Result<RootPathResult> root_path(const FilteredReferences& references,
                                 const Reachability& reachability, ObjectId object,
                                 Arena& arena) noexcept;
Result<std::span<const RootPathResult>> root_paths(const CountedReferences& references,
                                                   const Reachability& reachability,
                                                   std::span<const ObjectId> objects,
                                                   Arena& arena) noexcept;

}  // namespace holdfast::analysis
