// ArticulationPoints: Tarjan's biconnected components of the undirected graph, iterative.
// Why: [Thesis] hopes to take what lies behind such a point by its size alone (dynamic_sizes.h says where that fails).
// Shape:  blocks (biconnected components) are numbered from 0. A node's are block[first_block[v] .. first_block[v + 1]), rising; a node without
//         neighbours has none, a point has two or more. Without super root, so a graph with many roots may be of many parts.
//         O(n + m), 4 words a node + 2 for each node of each block. Double references are removed beforehand (undirected()).
// Zone:   offline.   Errors: none.
// Source: Tarjan: Depth-first search and linear graph algorithms; [Thesis], section 4.6, definitions 9 and 10, C.23.
#pragma once

#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

struct ArticulationPoints {
  std::vector<std::uint32_t> first_block{0}, block;
  std::uint32_t blocks = 0;

  std::span<const std::uint32_t> blocks_of(std::uint32_t node) const {
    return std::span(block).subspan(first_block[node], first_block[node + 1] - first_block[node]);
  }
  bool is_point(std::uint32_t node) const { return blocks_of(node).size() > 1; }
  bool share_block(std::uint32_t a, std::uint32_t b) const;
};
ArticulationPoints articulation_points(const NaiveGraph& graph);
std::vector<bool> all_points(const ArticulationPoints& points);

}  // namespace holdfast::analysis::lab
