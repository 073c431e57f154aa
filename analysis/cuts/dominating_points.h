// Dominating articulation points: nodes that dominate all that they reach, so whatever they reach is reached through them alone.
// Why: what such a node reaches is what it retains, and cutting it off frees all of that.
// Shape:  dominating: a bit a node; only nodes with references. Results n / 8 B, scratch 4 B a node. O(n + m), one pass.
//         A dominating node parts what it reaches from all else, so it is an articulation point when there is anything else on
//         its side: referrers, or the virtual root. A source without a virtual root need not be one (biconnected.h has none).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], definition 11, section 4.8, listing 4.4.
#pragma once

#include "analysis/reachable/dag_dominators.h"

namespace holdfast::analysis {

struct DominatingPoints {
  std::span<const std::uint64_t> dominating;  // bit v & 63 of word v >> 6
  std::uint32_t count = 0;

  bool contains(std::uint32_t node) const noexcept {
    return (dominating[node >> 6] >> (node & 63) & 1u) != 0;
  }
};

constexpr std::uint64_t dominating_points_bytes(std::uint64_t nodes) noexcept {
  return 4 * nodes + nodes / 8;
}

Result<DominatingPoints> dominating_points(const Condensation& condensation,
                                           const DagDominators& dominators, Arena& arena,
                                           const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
