// Bits for the shared nodes, in lanes: which member reaches which is found for many of them at once.
// Why fewer bits than shared nodes: those with the same immediate dominator and the same referrers are reached by the same members, so one bit
//      stands for all of them, with their retained sizes together: the thousand entries that a buffer and a list have in common. One that no
//      member refers to needs none.
// Why lanes: in a heap a member soon reaches all of a few hundred neighbours that it reaches one of. A lane that is full is one bit again.
// Shape:  a lane has up to kLaneBits bits of one immediate dominator; lanes in rising order of it, so small subtrees come first.
//         place_of[members], bit_bytes[bits], lanes 24 B each. 4 B a member, 12 B a shared node; scratch 24 B a shared node.
//         O(edges + shared log shared).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/reachable/sharing_graph.h"

namespace holdfast::analysis {

struct SharedLanes {
  static constexpr std::uint32_t kNone = SharingGraph::kNone;
  static constexpr std::uint32_t kLaneBits = 384;
  static constexpr std::uint32_t kPlaceShift = 9;
  struct Lane {
    std::uint64_t bytes = 0;          // of all its bits
    std::uint32_t dominator = kNone;  // member; kNone: none, and nothing gets as far
    std::uint32_t first_bit = 0;
    std::uint32_t first_member = 0;
  };
  std::span<const std::uint32_t>
      place_of;  // [members] lane << kPlaceShift | bit in it; kNone: no bit
  std::span<const std::uint64_t>
      bit_bytes;                          // [bits] retained by the shared nodes of a bit together
  std::span<const Lane> lanes;            // [lane_count() + 1]
  std::span<const std::uint32_t> member;  // shared nodes with a bit, lane by lane

  std::uint32_t lane_count() const noexcept { return static_cast<std::uint32_t>(lanes.size()) - 1; }
  std::uint32_t bits_in(std::uint32_t lane) const noexcept {
    return lanes[lane + 1].first_bit - lanes[lane].first_bit;
  }
  std::span<const std::uint32_t> members(std::uint32_t lane) const noexcept {
    return member.subspan(lanes[lane].first_member,
                          lanes[lane + 1].first_member - lanes[lane].first_member);
  }
};

Result<SharedLanes> make_shared_lanes(const SharingGraph& graph, const DagDominators& dominators,
                                      Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
