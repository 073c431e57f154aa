// DomArticulationPoints: listing 4.4, nodes of the component graph that dominate everything that they reach.
// Why: such a node's reachable size is its retained size, and nobody who reaches it reaches anything behind it on another way.
// Shape:  one pass over rising component numbers: value[i] is the highest number of an immediate dominator of i and of all that i reaches;
//         i is a point when the highest value of its referents is i itself. O(n + m).
// What it computes: with the super root numbered above all others, exactly the nodes that refer to something and dominate all they reach.
//         Definition 11 also asks for an articulation point. Every such node is one of the undirected graph with the super root (what it
//         reaches hangs on it alone); without the super root, as ArticulationPoints has the graph, the only node of its part of the
//         graph without referrers need not be one: object 1 of both acyclic graphs, for which [Thesis] tells "no points found".
//         The listing writes dom[i + 1] - 1. Taken literally, with dominators numbered one higher and the super root as number 1, the
//         super root becomes 0, below all others, and nodes are found that do not dominate what they reach: kLowest, a defect that
//         makes sizes too large; the test has the smallest graph. kHighest is what the text says ("closest to the root").
// Zone:   offline.   Errors: none.
// Source: [Thesis], section 4.8, definition 11, listing 4.4, C.24.
#pragma once

#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

enum class SuperRootNumber { kHighest, kLowest };

// `idom` as dominators_of() makes it for the component graph.
std::vector<bool> dominating_points(const NaiveGraph& components,
                                    const std::vector<std::uint32_t>& idom,
                                    SuperRootNumber super_root = SuperRootNumber::kHighest);

}  // namespace holdfast::analysis::lab
