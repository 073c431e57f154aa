// Immediate dominators and retained bytes of the nodes of a condensation, entered at all nodes without referrers at once.
// Why not compute_dominators: without cycles no search and no semidominators are needed. Where all referrers come first, a node's
//      immediate dominator is the nearest common ancestor of its referrers in the tree that is there already.
// Shape:  idom[count], a node number or kRoot, the virtual root above all sources; idom[v] > v. retained_bytes[count]:
//         retained[v] == shallow(v) + the sum over nodes c with idom[c] == v of retained[c]. Results 12 B a node, no scratch: the retained
//         bytes serve as depths and jump pointers before. O(m log n).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: Myers: An applicative random-access stack (jump pointers); [Thesis], section 4.8.
#pragma once

#include "analysis/reachable/condensation.h"

namespace holdfast::analysis {

struct DagDominators {
  static constexpr std::uint32_t kRoot = 0xFFFFFFFEu;  // as an idom value: the virtual root
  std::span<const std::uint32_t> idom;                 // [count]
  std::span<const std::uint64_t> retained_bytes;       // [count]
  std::uint32_t depth = 0;  // nodes on the longest way down the dominator tree
};

constexpr std::uint64_t dag_dominators_bytes(std::uint64_t nodes) noexcept {
  return 12 * (nodes + 1);
}

Result<DagDominators> dag_dominators(const Condensation& condensation, Arena& arena,
                                     const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
