// GCRootsAndLeaves and SCCGCRootsAndLeaves: [Thesis] takes no roots from the VM, it finds them.
// Shape:  roots: nodes without referrers, in rising order; then, for every cycle that no other node reaches, its lowest node. leaves: nodes
//         without references. O(n + m) but for cycles that only a cycle of higher nodes reaches: each node of these is searched from.
//         On the component graph every root is of the first kind.
// Zone:   offline.   Errors: none.
// Source: [Thesis], section 3.2, chapter 5, C.19 (getRootsProspect, bfs, checkRoot). C.19's checkRoot, word for word, asks only whether an
//         unreached node is part of a cycle, and would take a cycle for a root that a cycle of higher nodes reaches.
#pragma once

#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

struct RootsAndLeaves {
  std::vector<std::uint32_t> roots, leaves;
};
RootsAndLeaves find_roots_and_leaves(const NaiveGraph& graph);

}  // namespace holdfast::analysis::lab
