#include "jvmti/rewriting/code_layout.h"

#include <cstdlib>

#include "jvmti/rewriting/instruction.h"

namespace holdfast::jvmti {
namespace {

constexpr std::uint32_t kShortReach = 32767;

bool fits_short(std::int64_t offset) noexcept { return offset >= INT16_MIN && offset <= INT16_MAX; }

}  // namespace

LeftAlone CodeLayout::place(Scratch& scratch) noexcept {
  if (!scratch.make(method_.positions, std::size_t{method_.size()} + 1))
    return LeftAlone::kNoScratch;
  for (std::uint32_t round = 0; round < kMostRounds; ++round) {
    lay_out();
    if (total_bytes() > kMaxCodeBytes) return LeftAlone::kCodeTooLong;
    if (total_bytes() <= kShortReach) return LeftAlone::kNo;
    bool changed = false;
    const LeftAlone reason = widen(scratch, changed);
    if (reason != LeftAlone::kNo || !changed) return reason;
  }
  return LeftAlone::kBranchTooFar;
}

std::uint32_t CodeLayout::bytes_at(std::uint32_t pc, std::uint32_t old_bytes,
                                   std::uint32_t position) const noexcept {
  const unsigned op = load_u8(method_.code, pc);
  if (is_switch(op)) return old_bytes - switch_padding(pc) + switch_padding(position);
  return (method_.marks[pc] & kWidened) != 0 ? 5 : old_bytes;
}

void CodeLayout::lay_out() noexcept {
  std::uint32_t position = inserted_.prologue.size();
  std::size_t stone = 0;
  for (std::uint32_t pc = 0; pc < method_.size();) {
    const std::uint32_t bytes = instruction_bytes(method_.code, pc);
    const Insertion kind = method_.insertions[pc];
    method_.positions[pc] = position;
    position += inserted_.before_of(kind).size();
    position += bytes_at(pc, bytes, position);
    position += inserted_.after_of(kind).size();
    pc += bytes;
    for (; stone < stone_count_ && stones_[stone].next == pc; ++stone) position += kStoneBytes;
  }
  method_.positions[method_.size()] = position;
}

std::uint32_t CodeLayout::end_position(std::uint32_t pc) const noexcept {
  std::uint32_t end = position(pc);
  for (const Stone& stone : stones())
    if (stone.next == pc) end -= kStoneBytes;
  return end;
}

std::uint32_t CodeLayout::stone_position(std::size_t i) const noexcept {
  std::uint32_t at = position(stones_[i].next);
  for (std::size_t k = i; k < stone_count_ && stones_[k].next == stones_[i].next; ++k)
    at -= kStoneBytes;
  return at;
}

bool CodeLayout::reachable(std::uint32_t pc, std::uint32_t target,
                           std::int32_t& offset) const noexcept {
  const std::int64_t from = instruction_position(pc);
  std::int64_t distance = std::int64_t{position(target)} - from;
  for (std::size_t i = 0; !fits_short(distance) && i < stone_count_; ++i)
    if (stones_[i].target == target) distance = std::int64_t{stone_position(i)} - from;
  offset = static_cast<std::int32_t>(distance);
  return fits_short(distance);
}

// Branches that do not reach: goto and jsr all at once, a stepping stone one in a round, because it moves the others.
LeftAlone CodeLayout::widen(Scratch& scratch, bool& changed) noexcept {
  for (std::uint32_t pc = 0; pc < method_.size(); pc += instruction_bytes(method_.code, pc)) {
    const unsigned op = load_u8(method_.code, pc);
    if (!is_short_branch(op) || (method_.marks[pc] & kWidened) != 0) continue;
    const auto target = static_cast<std::uint32_t>(short_branch_target(method_.code, pc));
    if (!is_conditional(op)) {
      const std::int64_t from = instruction_position(pc);
      if (fits_short(std::int64_t{position(target)} - from)) continue;
      method_.marks[pc] = static_cast<std::uint8_t>(method_.marks[pc] | kWidened);
      changed = true;
    } else if (std::int32_t offset = 0; !reachable(pc, target, offset)) {
      changed = true;
      return add_stone(pc, target, scratch);
    }
  }
  return LeftAlone::kNo;
}

// The nearest place. Before and after this() frames differ, so a stone stands where its target's frame holds.
LeftAlone CodeLayout::add_stone(std::uint32_t pc, std::uint32_t target, Scratch& scratch) noexcept {
  if (stone_count_ == kMostStones) return LeftAlone::kBranchTooFar;
  if (!places_known_ && !find_stone_places(scratch)) return LeftAlone::kNoScratch;
  const std::int64_t from = instruction_position(pc);
  std::int64_t nearest = kStoneReach + 1;
  Stone best{0, target};
  for (std::uint32_t at = 0; at < method_.size();) {
    const std::uint32_t next = at + instruction_bytes(method_.code, at);
    const bool place = (method_.marks[at] & kStonePlace) != 0 &&
                       method_.after_init(at) == method_.after_init(target);
    const std::int64_t distance = std::llabs(std::int64_t{position(next)} - from);
    if (place && distance < nearest) {
      nearest = distance;
      best.next = next;
    }
    at = next;
  }
  if (nearest > kStoneReach) return LeftAlone::kBranchTooFar;
  std::size_t i = stone_count_++;
  for (; i > 0 && stones_[i - 1].next > best.next; --i) stones_[i] = stones_[i - 1];
  stones_[i] = best;
  return LeftAlone::kNo;
}

// Behind what does not run on, and in no stretch of the exception table: its handlers' frames need not hold there.
bool CodeLayout::find_stone_places(Scratch& scratch) noexcept {
  std::span<std::uint16_t> opened, closed;
  if (!scratch.make_zeroed(opened, std::size_t{method_.size()} + 1) ||
      !scratch.make_zeroed(closed, std::size_t{method_.size()} + 1))
    return false;
  for (std::size_t i = 0; i < method_.handler_count(); ++i) {
    ++opened[method_.handler(i).start];
    ++closed[method_.handler(i).end];
  }
  std::uint32_t inside = 0;
  for (std::uint32_t pc = 0; pc < method_.size();) {
    const std::uint32_t next = pc + instruction_bytes(method_.code, pc);
    inside += opened[pc];
    inside -= closed[next];
    if (inside == 0 && !falls_through(load_u8(method_.code, pc)))
      method_.marks[pc] = static_cast<std::uint8_t>(method_.marks[pc] | kStonePlace);
    pc = next;
  }
  places_known_ = true;
  return true;
}

}  // namespace holdfast::jvmti
