// Spreads a round of lanes from shared nodes to all members that reach them, and adds up for each member what its bits retain.
// How:    members wait in a queue in the order of their numbers, so each is met once, with its set complete. It takes off the lanes whose immediate
//         dominator it is, adds the bytes of the rest to its own, sets its own bit, and passes the set on to its referrers. The last
//         referrer that has no set yet gets the very memory, so a way up without a fork copies nothing.
// Shape:  a set is one cache line for the lanes that are full (kRoundLanes bits and their bytes) and a list of one line for each lane that is
//         partly there. On heaps few are: of 416 million meetings of a member and a lane, 1.5 million
//         (docs/decisions/080-reachable-sizes.md).
//         8 B + a bit a member, and `lines` lines of 68 B for all sets that are alive at the same time. A round costs
//         O(members and edges that its lanes reach) + O(what is partly there).
// Zone:   worker, offline, child.
// Errors: kCancelled; kDeadline; kOutOfBudget: no line is left. Then the sums of the members before `reached()` have this round's
//         bytes, and the object can be used again.
#pragma once

#include "analysis/reachable/shared_lanes.h"

namespace holdfast::analysis {

struct SpreadRound {
  std::uint32_t first_lane = 0;
  std::uint32_t lanes = 0;         // at most LaneSpread::kRoundLanes
  std::uint32_t first_member = 0;  // those before it have their sums of these lanes already
};

class LaneSpread {
 public:
  static constexpr std::uint32_t kFullWords = 7;
  static constexpr std::uint32_t kRoundLanes = kFullWords * 64;
  static constexpr std::uint32_t kPartWords = SharedLanes::kLaneBits / 64;

  static Result<LaneSpread> make(const SharingGraph& graph, const SharedLanes& lanes,
                                 std::uint32_t lines, Arena& arena) noexcept;

  // sums: [members].
  Result<void> run(const SpreadRound& round, std::span<std::uint64_t> sums,
                   const CancelToken& cancel) noexcept;
  std::uint32_t reached() const noexcept { return reached_; }
  std::uint64_t visits() const noexcept { return visits_; }
  std::uint64_t parts() const noexcept {
    return parts_;
  }  // lanes that were partly there, over all visits
  std::uint32_t most_lines() const noexcept { return most_lines_; }

 private:
  struct Full {  // a bit for each lane of the round that is there as a whole
    std::uint64_t set[kFullWords];
    std::uint64_t bytes;
  };
  struct Part {  // one lane, partly
    std::uint64_t set[kPartWords];
    std::uint64_t bytes;
    std::uint32_t lane;  // of the round
    std::uint32_t next;  // in rising order of lanes
  };
  union alignas(64) Line {
    Full full;
    Part part;
  };
  static_assert(sizeof(Line) == 64);
  struct Group {  // lanes of the round with the same immediate dominator
    std::uint32_t dominator, first, end;
  };

  void begin(const SpreadRound& round) noexcept;
  void list_groups() noexcept;
  void enqueue(std::uint32_t member) noexcept;
  std::uint32_t dequeue() noexcept;
  bool visit(std::uint32_t member, std::span<std::uint64_t> sums) noexcept;
  void drop_dominated(std::uint32_t member, Full& full, std::uint32_t& parts) noexcept;
  std::uint64_t settle_parts(const Full& full, std::uint32_t& parts) noexcept;
  bool add_own(std::uint32_t member, Full& full, std::uint32_t& parts) noexcept;
  bool pass_on(std::uint32_t member, std::uint32_t full, std::uint32_t parts) noexcept;
  bool copy_to(std::uint32_t member, std::uint32_t full, std::uint32_t parts) noexcept;
  void add_full(const Full& from, Full& to) const noexcept;
  bool add_parts(std::uint32_t from, std::uint32_t member) noexcept;
  std::uint32_t insert_part(std::uint32_t* link, std::uint32_t lane) noexcept;
  void add_bits(const Part& from, Part& to) const noexcept;
  bool is_complete(const Part& part) const noexcept;
  void complete(std::uint32_t* link, Full& full) noexcept;
  void free_parts(std::uint32_t parts) noexcept;
  std::uint32_t take_line() noexcept;
  void give_back() noexcept;

  const SharingGraph* graph_ = nullptr;
  const SharedLanes* lanes_ = nullptr;
  std::span<std::uint32_t> full_of_;     // [members] a line; kNone: no set yet
  std::span<std::uint32_t> parts_of_;    // [members] a line: the first part; kNone: none
  std::span<std::uint64_t> queued_;      // a bit a member
  std::span<std::uint64_t> queued_any_;  // a bit for each word of queued_
  std::span<Line> line_;
  std::span<std::uint32_t> free_;  // lines that were given back
  std::span<Group> groups_;
  std::uint32_t free_count_ = 0;
  std::uint32_t used_lines_ = 0;  // lines that were ever taken
  std::uint32_t most_lines_ = 0;
  SpreadRound round_;
  std::uint32_t group_ = 0;
  std::uint32_t group_count_ = 0;
  std::uint32_t word_ = 0;  // of queued_: none before it is set
  std::uint32_t reached_ = 0;
  std::uint64_t visits_ = 0;
  std::uint64_t parts_ = 0;
};

}  // namespace holdfast::analysis
