// The shared part of a heap: what is left of the condensation when everything is folded that only one node refers to.
// Why: what a node reaches is its dominator subtree, plus the subtrees of those shared nodes that it reaches and does not dominate
//      (reachable_size.h). Only nodes where such sets meet, begin or end have to be visited; on heaps that is a small part.
// How:    a node is *shared* when at least two nodes refer to it; its *outside set* are the shared nodes that it reaches and that have an
//         immediate dominator above it, itself included when it is shared. Nodes are taken from below. One whose set is that of a single member
//         is folded into it: its referrers become the member's. A member is a shared node, or one where two sets meet, or one that
//         dominates shared nodes, so that its set loses them.
// Shape:  members are numbered as nodes are: from below, so a member's referrers have higher numbers.
//         outside[nodes]: the member with the same outside set, kNone where the set is empty. 20 B a node + 1 bit * 3, 8 B a reference at most.
//         O(nodes + references).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
// Source: the identity of reachable_size.h; the folding is this project's own.
#pragma once

#include "analysis/reachable/dag_dominators.h"

namespace holdfast::analysis {

struct SharingGraph {
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  std::span<const std::uint32_t> outside;         // [nodes]
  std::span<const std::uint32_t> node;            // [members] rising
  std::span<const std::uint32_t> first_referrer;  // [members + 1]
  std::span<const std::uint32_t> referrer;        // [edges] members
  std::span<const std::uint64_t> shared;          // a bit a member: it is a shared node
  std::uint32_t shared_count = 0;

  std::uint32_t member_count() const noexcept { return static_cast<std::uint32_t>(node.size()); }
  bool is_shared(std::uint32_t member) const noexcept {
    return (shared[member >> 6] >> (member & 63) & 1u) != 0;
  }
  std::span<const std::uint32_t> referrers(std::uint32_t member) const noexcept {
    return referrer.subspan(first_referrer[member],
                            first_referrer[member + 1] - first_referrer[member]);
  }
};

Result<SharingGraph> make_sharing_graph(const Condensation& condensation,
                                        const DagDominators& dominators, Arena& arena,
                                        const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
