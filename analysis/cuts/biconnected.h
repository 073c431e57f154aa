// Biconnected components and articulation points of the condensation without directions: where one node alone joins two parts of a heap.
// Why no depth-first search: any spanning forest will do. Every reference outside it closes one cycle, the tree's way between its
//      two ends; two tree references are in one component exactly when a chain of such cycles joins them. So components begin as
//      single tree references and are merged along those ways, each jumped over once it is merged. Neither referrers nor stacks are
//      needed, and nodes are met in the order in which they lie in memory.
// Shape:  articulation: a bit a node. A component is a set of references; a bridge is one of two nodes, an isolated node is in none.
//         Results n / 8 B; scratch 12 B a node, nothing a reference. O(m log n).
//         There is no virtual root: two parts that nothing but GC roots join are two parts, and a source is an articulation
//         point only when what hangs below it falls apart without it.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: Tarjan, Vishkin: An efficient parallel biconnectivity algorithm (cycles of any spanning tree); Tarjan: Depth-first search
//         and linear graph algorithms; [Thesis], definitions 9 and 10, section 4.6.
#pragma once

#include "analysis/reachable/condensation.h"

namespace holdfast::analysis {

struct BiconnectedComponents {
  std::span<const std::uint64_t> articulation;  // bit v & 63 of word v >> 6
  std::uint32_t articulation_points = 0;
  std::uint32_t components = 0;
  std::uint32_t largest_nodes = 0;  // nodes of the largest component; 0 where there is none
  std::uint32_t parts = 0;          // connected parts, isolated nodes included

  bool is_articulation(std::uint32_t node) const noexcept {
    return (articulation[node >> 6] >> (node & 63) & 1u) != 0;
  }
};

constexpr std::uint64_t biconnected_components_bytes(std::uint64_t nodes) noexcept {
  return 12 * nodes + nodes / 8;
}

Result<BiconnectedComponents> biconnected_components(const Condensation& condensation, Arena& arena,
                                                     const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
