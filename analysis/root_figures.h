// What GC roots hold: per thread (the thread object and its locals together) and per root kind; and the graph's degrees.
// Shape:  one SetMember (8 B) a root, sorted by position; then a SetSweep. O(r log r + n).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <span>

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

Result<std::span<const ThreadFigures>> thread_figures(const Snapshot& snapshot,
                                                      const Dominators& dominators,
                                                      Arena& arena) noexcept;
// With empty dominators the root kinds' retained sizes are 0.
Result<GraphStatistics> graph_statistics(const Snapshot& snapshot, const Dominators& dominators,
                                         Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
