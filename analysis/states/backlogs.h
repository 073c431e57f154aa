// References that wait in a queue, and the thread that should take them out with the frames where it is.
// Why chains: an object with a finalizer has its reference as long as it lives. Only one that is linked into a queue waits.
// Shape:  for each ReferenceQueue its chain of references: ReferenceQueue.head, then Reference.next (Android: queueNext), until one
//         refers to itself. A CLR's queue is its GC roots of kind kFinalizer. The largest kMostBacklogs of those with at least
//         kFewestWaiting references; finalizers always. O(objects + roots + what waits); scratch 16 B a waiting reference, 8 B a class.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
// Source: OpenJDK, java.lang.ref.Reference, ReferenceQueue, Finalizer; Android, java.lang.ref.FinalizerReference, java.lang.Daemons.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

inline constexpr std::size_t kMostBacklogs = 8;
inline constexpr std::size_t kMostBacklogFrames = 6;
inline constexpr std::uint64_t kFewestWaiting =
    1000;  // fewer are what a busy thread has not come to

struct BacklogQuestion {
  const CountedReferences& references;
  const Reachability& reachability;
  const Dominators& dominators;  // may be empty: retained sizes are 0 then
};

Result<std::span<const Backlog>> find_backlogs(const BacklogQuestion& question, Arena& arena,
                                               const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
