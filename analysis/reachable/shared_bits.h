// Bits for the shared nodes: which node reaches which is found for many of them at once, a bit each.
// Why fewer bits than shared nodes: those with the same immediate dominator and the same referrers are reached by the same nodes, so one bit
//      stands for all of them, with their retained sizes together: the thousand entries that a buffer and a list have in common. One that no
//      member refers to needs none.
// Shape:  bits in rising order of the immediate dominator: small subtrees first, the bits of one dominator next to each other. dominator[bits]: its
//         member, kNone where it is none (then nothing gets there). 4 B a member, 20 B a bit + 4 B a shared node; scratch 24 B a shared node.
//         O(edges + shared log shared).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/reachable/sharing_graph.h"

namespace holdfast::analysis {

struct SharedBits {
  std::span<const std::uint32_t> bit_of;        // [members] kNone: no bit
  std::span<const std::uint64_t> bytes;         // [bits] retained by its nodes together
  std::span<const std::uint32_t> dominator;     // [bits] member or kNone
  std::span<const std::uint32_t> first_member;  // [bits + 1]
  std::span<const std::uint32_t> member;        // those of each bit

  std::uint32_t count() const noexcept { return static_cast<std::uint32_t>(bytes.size()); }
  std::span<const std::uint32_t> members(std::uint32_t bit) const noexcept {
    return member.subspan(first_member[bit], first_member[bit + 1] - first_member[bit]);
  }
};

Result<SharedBits> make_shared_bits(const SharingGraph& graph, const DagDominators& dominators,
                                    Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
