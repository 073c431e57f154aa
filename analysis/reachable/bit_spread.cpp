#include "analysis/reachable/bit_spread.h"

#include <algorithm>
#include <atomic>
#include <bit>

#include "common/prefetch.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNone = SharingGraph::kNone;
constexpr std::uint64_t kLookStride = 4096;  // visits between two looks at clock and token

// The words of a set that hold bits first .. end - 1, with those bits alone.
template <class Visit>
void for_each_word(std::uint32_t first, std::uint32_t end, Visit visit) noexcept {
  for (std::uint32_t w = first >> 6; w <= (end - 1) >> 6; ++w) {
    std::uint64_t mask = ~std::uint64_t{0};
    if (w == first >> 6) mask &= ~std::uint64_t{0} << (first & 63);
    if (w == (end - 1) >> 6) mask &= ~std::uint64_t{0} >> (63 - ((end - 1) & 63));
    visit(w, mask);
  }
}

}  // namespace

Result<BitSpread> BitSpread::make(const SharingGraph& graph, const SharedBits& bits,
                                  std::uint32_t slots, Arena& arena) noexcept {
  BitSpread made;
  const std::size_t members = graph.member_count(), words = members / 64 + 1;
  made.graph_ = &graph;
  made.bits_ = &bits;
  HF_TRY(slot_of, arena.make_filled<std::uint32_t>(members, kNone));
  HF_TRY(queued, arena.make_filled<std::uint64_t>(words, 0));
  HF_TRY(queued_any, arena.make_filled<std::uint64_t>(words / 64 + 1, 0));
  HF_TRY(pool, arena.make<Slot>(slots));
  HF_TRY(free, arena.make<std::uint32_t>(slots));
  HF_TRY(groups, arena.make<Group>(kBatchBits));
  made.slot_of_ = slot_of;
  made.queued_ = queued;
  made.queued_any_ = queued_any;
  made.slots_ = pool;
  made.free_ = free;
  made.groups_ = groups;
  return made;
}

Result<void> BitSpread::run(std::uint32_t first, std::span<std::uint64_t> sums,
                            std::uint64_t deadline_ns, const CancelToken& cancel) noexcept {
  begin(first);
  while (true) {
    const std::uint32_t member = dequeue();
    if (member == kNone) return {};
    Result<void> fine;
    if (++visits_ % kLookStride == 0) {
      fine = cancel.check();
      if (fine && platforms::monotonic_ns() > deadline_ns)
        fine = make_error(ErrorCode::kDeadline);
    }
    if (fine && !visit(member, sums)) fine = make_error(ErrorCode::kOutOfBudget);
    if (fine) continue;
    give_back();
    return fine;
  }
}

void BitSpread::begin(std::uint32_t first) noexcept {
  const std::uint32_t end = std::min(first + kBatchBits, bits_->count());
  first_bit_ = first;
  word_ = 0xFFFFFFFFu;
  list_groups(end);
  for (std::uint32_t bit = first; bit < end; ++bit)
    for (const std::uint32_t member : bits_->members(bit)) enqueue(member);
}

void BitSpread::list_groups(std::uint32_t end) noexcept {
  group_ = group_count_ = 0;
  for (std::uint32_t bit = first_bit_; bit < end; ++bit) {
    const std::uint32_t dominator = bits_->dominator[bit], at = bit - first_bit_;
    if (dominator == kNone) continue;
    if (group_count_ > 0 && groups_[group_count_ - 1].dominator == dominator)
      groups_[group_count_ - 1].end = at + 1;
    else
      groups_[group_count_++] = {dominator, at, at + 1};
  }
}

void BitSpread::enqueue(std::uint32_t member) noexcept {
  const std::uint32_t word = member >> 6;
  queued_[word] |= std::uint64_t{1} << (member & 63);
  queued_any_[word >> 6] |= std::uint64_t{1} << (word & 63);
  word_ = std::min(word_, word);
}

// Lowest first; what is enqueued meanwhile is higher than what was taken last.
std::uint32_t BitSpread::dequeue() noexcept {
  if (word_ == 0xFFFFFFFFu) return kNone;
  if (queued_[word_] == 0) {
    std::size_t any = word_ >> 6;
    while (any < queued_any_.size() && queued_any_[any] == 0) ++any;
    if (any == queued_any_.size()) {
      word_ = 0xFFFFFFFFu;
      return kNone;
    }
    word_ = static_cast<std::uint32_t>(any << 6) +
            static_cast<std::uint32_t>(std::countr_zero(queued_any_[any]));
  }
  const std::uint64_t bits = queued_[word_];
  queued_[word_] = bits & (bits - 1);
  if ((bits & (bits - 1)) == 0) queued_any_[word_ >> 6] &= ~(std::uint64_t{1} << (word_ & 63));
  return (word_ << 6) + static_cast<std::uint32_t>(std::countr_zero(bits));
}

// False: no slot is left.
bool BitSpread::visit(std::uint32_t member, std::span<std::uint64_t> sums) noexcept {
  std::uint32_t slot = slot_of_[member];
  slot_of_[member] = kNone;
  if (slot == kNone) {
    slot = take_slot();
    if (slot == kNone) return false;
    slots_[slot] = Slot{};
  } else {
    drop_dominated(member, slots_[slot]);
    std::atomic_ref(sums[member]).fetch_add(slots_[slot].bytes, std::memory_order_relaxed);
  }
  const std::uint32_t own = bits_->bit_of[member] - first_bit_;
  if (own < kBatchBits && bits_->bit_of[member] != kNone) {
    slots_[slot].set[own >> 6] |= std::uint64_t{1} << (own & 63);
    slots_[slot].bytes += bits_->bytes[first_bit_ + own];
  }
  return pass_on(member, slot);
}

void BitSpread::drop_dominated(std::uint32_t member, Slot& slot) noexcept {
  while (group_ < group_count_ && groups_[group_].dominator < member) ++group_;
  if (group_ == group_count_ || groups_[group_].dominator != member) return;
  for_each_word(groups_[group_].first, groups_[group_].end,
                [&](std::uint32_t w, std::uint64_t mask) {
                  for (std::uint64_t bits = slot.set[w] & mask; bits != 0; bits &= bits - 1)
                    slot.bytes -= bits_->bytes[first_bit_ + w * 64 +
                                               static_cast<std::uint32_t>(std::countr_zero(bits))];
                  slot.set[w] &= ~mask;
                });
}

bool BitSpread::pass_on(std::uint32_t member, std::uint32_t slot) noexcept {
  std::uint32_t heir = kNone;
  if (slots_[slot].bytes != 0) {
    for (const std::uint32_t referrer : graph_->referrers(member)) {
      if (slot_of_[referrer] != kNone) {
        add(slots_[slot], slots_[slot_of_[referrer]]);
        continue;
      }
      enqueue(referrer);
      if (heir != kNone) {
        slot_of_[heir] = take_slot();
        if (slot_of_[heir] == kNone) return false;
        slots_[slot_of_[heir]] = slots_[slot];
      }
      heir = referrer;
    }
  }
  if (heir != kNone)
    slot_of_[heir] = slot;
  else
    free_[free_count_++] = slot;
  return true;
}

void BitSpread::add(const Slot& from, Slot& to) const noexcept {
  for (std::uint32_t w = 0; w < kWords; ++w) {
    std::uint64_t fresh = from.set[w] & ~to.set[w];
    to.set[w] |= fresh;
    for (; fresh != 0; fresh &= fresh - 1)
      to.bytes += bits_->bytes[first_bit_ + w * 64 +
                               static_cast<std::uint32_t>(std::countr_zero(fresh))];
  }
}

std::uint32_t BitSpread::take_slot() noexcept {
  if (free_count_ > 0) return free_[--free_count_];
  return used_slots_ < slots_.size() ? used_slots_++ : kNone;
}

// After an error: everything as it was before the batch.
void BitSpread::give_back() noexcept {
  std::fill(slot_of_.begin(), slot_of_.end(), kNone);
  std::fill(queued_.begin(), queued_.end(), 0);
  std::fill(queued_any_.begin(), queued_any_.end(), 0);
  free_count_ = used_slots_ = 0;
}

}  // namespace holdfast::analysis
