// SimpleDominator, SophisticatedDominator and SCCDominatorTree: Lengauer and Tarjan's algorithm with either of its link and eval, iterative.
// Shape:  simple: O(m log n), seven arrays; sophisticated: O(m alpha(m, n)), nine. SCCDominatorTree is the simple one on the component graph.
//         dominators_of: idom[n] a node, Dominators::kRoot for the super root, kNoneValue for what the roots do not reach.
//         gc_sizes (listing 4.1): retained bytes, from the lists of what each node dominates at once, depth first. O(n).
// Zone:   offline.   Errors: none.
// Source: Lengauer, Tarjan: A fast algorithm for finding dominators in a flowgraph; [Thesis], sections 4.1 and 4.2, C.16, C.20, C.21.
#pragma once

#include "analysis/lab/thesis/flow_graph.h"
#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

enum class LinkEval { kSimple, kSophisticated };

// By number, as the flow graph's; idom[0] and idom[1] mean nothing.
std::vector<std::uint32_t> immediate_dominators(const FlowGraph& flow, LinkEval link_eval);

std::vector<std::uint32_t> dominators_of(const NaiveGraph& graph,
                                         const std::vector<std::uint32_t>& roots,
                                         LinkEval link_eval);
// What is not reached has 0.
std::vector<std::uint64_t> gc_sizes(const NaiveGraph& graph,
                                    const std::vector<std::uint32_t>& idom);

}  // namespace holdfast::analysis::lab
