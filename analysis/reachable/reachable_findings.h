// What a report shows of reachable sizes, written down while they are there: the sizes of all objects go with the condensation.
// Shape:  ReachableRoom is what stays; it is made before the condensation, so that all behind it can be given back. 16 B a class, 24 B
//         a listed object. One pass over the objects, then hidden_objects.h; scratch is reachable_sizes()' own, or hidden_objects.h's
//         + 8 B a node.
//         A difference is reachable less retained, and 0 where more is retained: dominators count references to class objects, reachable
//         sizes do not.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], section 5.3.1, table 5.3.
#pragma once

#include "analysis/reachable/reachable_size.h"

namespace holdfast::analysis {

struct ReachableQuestion {
  const Snapshot& snapshot;
  const Dominators& dominators;
  std::span<const ObjectId> top_objects;  // whose sizes are wanted, beside the hidden ones'
  std::span<const SuspectResult> suspects;
};

struct ReachableRoom {
  std::span<ReachableFigure> objects;
  std::span<ClassReach> classes;
  std::span<ObjectId> hidden;
  static Result<ReachableRoom> make(const ReachableQuestion& question, Arena& arena) noexcept;
};

Result<ReachableFindings> find_reachable(const ReachableQuestion& question,
                                         const Condensation& condensation,
                                         const ReachableLimits& limits, const ReachableRoom& room,
                                         Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
