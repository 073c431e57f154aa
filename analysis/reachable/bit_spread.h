// Spreads a batch of bits from shared nodes to all members that reach them, and adds up for each member what its bits retain.
// How:    members wait in a queue in the order of their numbers, so each is met once, with its set complete. It takes off the bits whose immediate
//         dominator it is, adds the sum of the rest to its own, sets its own bit, and passes the set on to its referrers. The last
//         referrer that has no set yet gets the very slot, so a way up without a fork copies nothing; one that has a set already adds only what is new.
// Shape:  a slot is a cache line: kBatchBits bits and the sum of their bytes. 4 B + a bit a member, and 64 B for each set that is alive at the
//         same time: at most `slots`. A batch costs O(what its bits reach, in members and edges).
// Zone:   worker, offline, child. One object a thread; sums may be shared between threads.
// Errors: run(): kCancelled; kDeadline when the time is up, kOutOfBudget when the slots are used up: the sums then lack something, and what
//         they have is no more than there is. The object can be used again in all cases.
#pragma once

#include "analysis/reachable/shared_bits.h"

namespace holdfast::analysis {

class BitSpread {
 public:
  static constexpr std::uint32_t kWords = 7;
  static constexpr std::uint32_t kBatchBits = kWords * 64;
  struct alignas(64) Slot {
    std::uint64_t set[kWords];
    std::uint64_t bytes;
  };
  static_assert(sizeof(Slot) == 64);

  static Result<BitSpread> make(const SharingGraph& graph, const SharedBits& bits,
                                std::uint32_t slots, Arena& arena) noexcept;

  // Bits first .. first + kBatchBits - 1, or up to the last. sums: [members].
  Result<void> run(std::uint32_t first, std::span<std::uint64_t> sums, std::uint64_t deadline_ns,
                   const CancelToken& cancel) noexcept;
  std::uint64_t visits() const noexcept { return visits_; }
  std::uint32_t most_slots() const noexcept { return used_slots_; }

 private:
  struct Group {  // bits of the batch with the same immediate dominator
    std::uint32_t dominator, first, end;
  };

  void begin(std::uint32_t first) noexcept;
  void list_groups(std::uint32_t end) noexcept;
  void enqueue(std::uint32_t member) noexcept;
  std::uint32_t dequeue() noexcept;
  bool visit(std::uint32_t member, std::span<std::uint64_t> sums) noexcept;
  void drop_dominated(std::uint32_t member, Slot& slot) noexcept;
  bool pass_on(std::uint32_t member, std::uint32_t slot) noexcept;
  void add(const Slot& from, Slot& to) const noexcept;
  std::uint32_t take_slot() noexcept;
  void give_back() noexcept;

  const SharingGraph* graph_ = nullptr;
  const SharedBits* bits_ = nullptr;
  std::span<std::uint32_t> slot_of_;     // [members] kNone: no set yet
  std::span<std::uint64_t> queued_;      // a bit a member
  std::span<std::uint64_t> queued_any_;  // a bit for each word of queued_
  std::span<Slot> slots_;
  std::span<std::uint32_t> free_;  // slots that were given back
  std::span<Group> groups_;
  std::uint32_t free_count_ = 0;
  std::uint32_t used_slots_ = 0;  // slots that were ever taken
  std::uint32_t first_bit_ = 0;
  std::uint32_t group_ = 0;
  std::uint32_t group_count_ = 0;
  std::uint32_t word_ = 0;  // of queued_: none before it is set
  std::uint64_t visits_ = 0;
};

}  // namespace holdfast::analysis
