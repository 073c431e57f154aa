// The upper dominator tree: what retains at least a share of the heap, so that a report shows where the bytes are.
// Why groups: ten thousand sessions of 10 kB each are all below the share; together they are the leak. Children of one class under
//      one parent that are too small alone but reach the share together become one node.
// Why best first by retained size over depth: a list of a million nodes would take every place by size alone, and wide levels
//      would by depth alone.
// Shape:  at most max_nodes nodes, parents before children; equations above TreeNodeResult. Scratch 40 B a class. O(children of the
//         nodes), at most O(n).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <span>

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct TreeLimits {
  std::uint64_t share_divisor =
      1000;  // 0.1 % of the held bytes: with 2,000 nodes the report stays below 2 MB
  std::uint32_t max_nodes = 2000;
};

Result<std::span<const TreeNodeResult>> upper_tree(const Snapshot& snapshot,
                                                   const Dominators& dominators,
                                                   const TreeLimits& limits, Arena& arena,
                                                   const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
