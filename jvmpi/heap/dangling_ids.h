// Ids that something refers to and no list has: preloaded classes and strings of some VMs, objects made since the list was.
// Shape:  in the order in which they were met; place i is object first + i. Open addressing, at most half full, grown by doubling: the
//         old tables stay where they are, so at most 32 B a place with 64 bits, 24 with 32.
// Zone:   capture, GC off.
// Errors: make(): the arena's. kNone: there is no room, or it is not there.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "common/arena.h"
#include "jvmpi/records/byte_cursor.h"

namespace holdfast::jvmpi {

class DanglingIds {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFFu;
  using Id = std::uintptr_t;

  static Result<DanglingIds> make(Arena& arena, std::uint32_t first_room) noexcept {
    DanglingIds table;
    table.arena_ = &arena;
    HF_CHECK_OK(table.take_room(first_room));
    return table;
  }

  std::uint32_t size() const noexcept { return count_; }
  VmId id(std::uint32_t place) const noexcept { return ids_[place]; }
  // Its place; `fresh`: it was never met before.
  std::uint32_t find_or_add(VmId wanted, bool& fresh) noexcept {
    fresh = false;
    std::size_t slot = slot_of(wanted);
    if (slots_[slot] != 0) return slots_[slot] - 1;
    if (count_ == ids_.size()) {
      if (!take_room(2 * std::uint64_t{count_})) return kNone;
      slot = slot_of(wanted);
    }
    fresh = true;
    ids_[count_] = static_cast<Id>(wanted);
    slots_[slot] = ++count_;
    return count_ - 1;
  }
  std::uint32_t find(VmId wanted) const noexcept {
    const std::uint32_t taken = slots_[slot_of(wanted)];
    return taken != 0 ? taken - 1 : kNone;
  }

 private:
  Result<void> take_room(std::uint64_t places) noexcept {
    HF_TRY(ids, arena_->make<Id>(places));
    HF_TRY(slots, arena_->make_filled<std::uint32_t>(std::bit_ceil(2 * places + 2), 0));
    std::copy_n(ids_.begin(), count_, ids.begin());
    ids_ = ids;
    slots_ = slots;
    for (std::uint32_t i = 0; i < count_; ++i) slots_[slot_of(ids_[i])] = i + 1;
    return {};
  }
  std::size_t slot_of(VmId wanted) const noexcept {
    const auto id = static_cast<Id>(wanted);
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>((wanted * 0x9E3779B97F4A7C15ull) >> 32) & mask;
    while (slots_[slot] != 0 && ids_[slots_[slot] - 1] != id) slot = (slot + 1) & mask;
    return slot;
  }

  Arena* arena_ = nullptr;
  std::span<Id> ids_;
  std::span<std::uint32_t> slots_;  // place + 1
  std::uint32_t count_ = 0;
};

}  // namespace holdfast::jvmpi
