// Where each instruction of a method goes when code is put between them, computed before a byte is written.
// Why rounds: a branch that no longer reaches in 16 bits grows, and pushes others out of reach. goto and jsr have a wide form; a
//      conditional branch goes to a stepping stone, a goto_w to its target, behind an instruction that does not run on. (To turn
//      the condition round and jump over a goto_w would need a stack map frame that the class file does not tell.)
// Shape:  positions[pc] in the new code, nothing ever shrinks, at most kMostRounds passes over the code; one pass where the new
//         code has at most 32,767 bytes. 4 B of scratch more for each byte of the code where a stone is needed.
//         new size = prologue + sum(before + instruction + after) + 5 stones + handlers.
// Zone:   event, offline.   Errors: kCodeTooLong, kBranchTooFar, kNoScratch.
// Source: The Java Virtual Machine Specification, section 4.9.1.
#pragma once

#include <cstdint>

#include "jvmti/rewriting/inserted_code.h"

namespace holdfast::jvmti {

class CodeLayout {
 public:
  static constexpr std::uint32_t kStoneBytes = 5;    // goto_w
  static constexpr std::size_t kMostStones = 64;     // more would be a method of little else
  static constexpr std::uint32_t kMostRounds = 256;  // a round for each stone, the rest for goto
  static constexpr std::int64_t kStoneReach =
      32000;  // what is moved later must not move a stone out of reach

  struct Stone {
    std::uint32_t next;    // the instruction that it stands before, or the code's size
    std::uint32_t target;  // old places
  };

  CodeLayout(MethodCode& method, const InsertedCode& inserted) noexcept
      : method_(method), inserted_(inserted) {}
  LeftAlone place(Scratch& scratch) noexcept;

  // Where a branch to an instruction leads: to what is put before it. size(): where the body ends.
  std::uint32_t position(std::uint32_t pc) const noexcept { return method_.positions[pc]; }
  // Where a stretch that ends there ends: before the stones.
  std::uint32_t end_position(std::uint32_t pc) const noexcept;
  // The instruction itself.
  std::uint32_t instruction_position(std::uint32_t pc) const noexcept {
    return position(pc) + inserted_.before_of(method_.insertions[pc]).size();
  }
  std::uint32_t total_bytes() const noexcept {
    return position(method_.size()) + inserted_.handlers.count() * inserted_.handler.size();
  }
  std::uint32_t handler_position(std::uint32_t which) const noexcept {
    return position(method_.size()) + which * inserted_.handler.size();
  }

  // In the order of their places.
  std::span<const Stone> stones() const noexcept { return {stones_, stone_count_}; }
  std::uint32_t stone_position(std::size_t i) const noexcept;
  // Where a conditional branch goes. False where nothing is in reach.
  bool reachable(std::uint32_t pc, std::uint32_t target, std::int32_t& offset) const noexcept;

  const MethodCode& method() const noexcept { return method_; }
  const InsertedCode& inserted() const noexcept { return inserted_; }

 private:
  std::uint32_t bytes_at(std::uint32_t pc, std::uint32_t old_bytes,
                         std::uint32_t position) const noexcept;
  void lay_out() noexcept;
  LeftAlone widen(Scratch& scratch, bool& changed) noexcept;
  LeftAlone add_stone(std::uint32_t pc, std::uint32_t target, Scratch& scratch) noexcept;
  bool find_stone_places(Scratch& scratch) noexcept;

  MethodCode& method_;
  const InsertedCode& inserted_;
  Stone stones_[kMostStones];
  std::size_t stone_count_ = 0;
  bool places_known_ = false;
};

}  // namespace holdfast::jvmti
