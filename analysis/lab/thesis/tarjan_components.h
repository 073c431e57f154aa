// StrongConnectedComponents: Tarjan's algorithm as [Thesis] has it, with three arrays and its two stacks, iterative.
// Why beside strong_components: the oracle is another text, and works on component numbers in the order that listing 4.4 asks for.
// Shape:  component[n] below count. A component refers to lower numbers only (the listing counts from 1: its number is component + 1).
//         O(n + m).
// Zone:   offline.   Errors: none.
// Source: Tarjan: Depth-first search and linear graph algorithms; [Thesis], section 4.4, C.22.
#pragma once

#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

struct TarjanComponents {
  std::vector<std::uint32_t> component;
  std::uint32_t count = 0;
};
TarjanComponents tarjan_components(const NaiveGraph& graph);

}  // namespace holdfast::analysis::lab
