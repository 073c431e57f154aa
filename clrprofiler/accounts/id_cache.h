// What is known of an id of the runtime's (a FunctionID, a ClassID), so that it is asked for once.
// Shape:  one table of fixed size, open addressing, at most three quarters full; what comes then empties it, and everything is asked anew.
//         sizeof(Value) + 8 bytes a slot. Id 0 is none.
// Zone:   one thread of ours.   Errors: open(): kOutOfBudget.
#pragma once

#include <cstdint>

#include "common/arena.h"
#include "common/result.h"

namespace holdfast::clr {

template <class Value, std::uint32_t kSlots>
class IdCache {
  static_assert((kSlots & (kSlots - 1)) == 0);

 public:
  Result<void> open(Arena& arena) noexcept {
    HF_TRY(slots, arena.make_zeroed<Slot>(kSlots));
    slots_ = slots;
    used_ = 0;
    return {};
  }

  const Value* find(std::uint64_t id) const noexcept {
    for (std::uint64_t i = spread(id);; i = (i + 1) % kSlots) {
      if (slots_[i].id == id) return &slots_[i].value;
      if (slots_[i].id == 0) return nullptr;
    }
  }
  // It is not there yet.
  const Value& add(std::uint64_t id, const Value& value) noexcept {
    if (used_ >= kSlots / 4 * 3) forget();
    std::uint64_t i = spread(id);
    while (slots_[i].id != 0) i = (i + 1) % kSlots;
    slots_[i] = {id, value};
    ++used_;
    return slots_[i].value;
  }
  void forget() noexcept {
    for (Slot& slot : slots_) slot.id = 0;
    used_ = 0;
  }

 private:
  struct Slot {
    std::uint64_t id;
    Value value;
  };
  static std::uint64_t spread(std::uint64_t id) noexcept {
    return ((id * 0x9E3779B97F4A7C15u) >> 24u) % kSlots;
  }

  std::span<Slot> slots_;
  std::uint32_t used_ = 0;
};

}  // namespace holdfast::clr
