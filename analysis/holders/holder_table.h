// References counted by place: what refers (a field, a static field, the elements of an array, GC roots of a kind) to which class.
// Why not rows for all: places are few, some ten a class, but nobody knows how many before they are counted.
// Shape:  open addressing, linear probing, 32 B a slot, a power of two of them; at most three of four are taken. A key is 64 bits:
//         the row of the referent's class, kind, label, and the class or field that refers. O(1) a reference; one referrer after the
//         other, so that the number of the last one tells whether it is a further one.
// Zone:   worker, offline, child.   Errors: add() answers false when a new place has no slot left; it is then not counted.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "common/arena.h"

namespace holdfast::analysis {

struct HolderSlot {
  std::uint64_t key = 0;  // 0: the slot is free
  std::uint64_t bytes = 0;
  std::uint32_t references = 0;
  std::uint32_t referrers = 0;
  std::uint32_t last_referrer = 0;
};

struct HolderKey {
  static constexpr std::uint32_t kMostRows = 1u << 13;
  static constexpr std::uint64_t kTaken = std::uint64_t{1} << 63;  // so no key is 0

  std::uint32_t row = 0;    // of the referent's class
  std::uint8_t kind = 0;    // 0 to 3
  std::uint16_t label = 0;  // what kind says
  std::uint32_t owner = 0;  // what kind says

  constexpr std::uint64_t packed() const noexcept {
    return kTaken | std::uint64_t{row} << 50 | std::uint64_t{kind} << 48 |
           std::uint64_t{label} << 32 | owner;
  }
  static constexpr HolderKey of(std::uint64_t packed) noexcept {
    return {static_cast<std::uint32_t>(packed >> 50) & (kMostRows - 1),
            static_cast<std::uint8_t>(packed >> 48 & 3), static_cast<std::uint16_t>(packed >> 32),
            static_cast<std::uint32_t>(packed)};
  }
};

class HolderTable {
 public:
  static constexpr std::size_t kLeastSlots = 256;

  // `slots`: a power of two, at least kLeastSlots. Less where there is no memory for so many.
  static Result<HolderTable> make(std::size_t slots, Arena& arena) noexcept {
    auto made = arena.make_zeroed<HolderSlot>(slots);
    while (!made && slots > kLeastSlots) {
      slots /= 2;
      made = arena.make_zeroed<HolderSlot>(slots);
    }
    if (!made) return made.error();
    HolderTable table;
    table.slots_ = *made;
    table.shift_ = 64 - std::countr_zero(slots);
    table.free_ = slots - slots / 4;
    return table;
  }

  bool add(std::uint64_t key, std::uint32_t referrer, std::uint64_t bytes) noexcept {
    HolderSlot* const slot = find(key);
    if (slot == nullptr) return false;
    slot->referrers += slot->last_referrer != referrer ? 1 : 0;
    ++slot->references;
    slot->bytes += bytes;
    slot->last_referrer = referrer;
    return true;
  }
  std::span<const HolderSlot> slots() const noexcept { return slots_; }

 private:
  HolderSlot* find(std::uint64_t key) noexcept {
    constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15u;  // Knuth's, of the golden ratio
    HolderSlot* slot = &slots_[static_cast<std::size_t>(((key ^ key >> 29) * kFactor) >> shift_)];
    if (slot->key == key) return slot;
    HolderSlot* const end = slots_.data() + slots_.size();
    while (slot->key != 0) {
      if (++slot == end) slot = slots_.data();
      if (slot->key == key) return slot;
    }
    if (free_ == 0) return nullptr;
    --free_;
    slot->key = key;
    slot->last_referrer = kNobody;
    return slot;
  }

  static constexpr std::uint32_t kNobody = 0xFFFFFFFEu;  // no object, and no root's mark
  std::span<HolderSlot> slots_;
  int shift_ = 0;
  std::size_t free_ = 0;
};

}  // namespace holdfast::analysis
