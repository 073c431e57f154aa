// The classes of a walk: ClassID to a small number, and what was counted of each.
// Why counted here: the histogram is then there even when the graph did not fit.
// Shape:  index 0 stands for whatever has no class, or none any more in this table; classes from 1 in the order in which they came.
//         Open addressing, at most half full: 8 B a class for the slots, 33 B for the row. What the first object of a class was like
//         (usual_*) never changes afterwards, so a stream that leaves it out can be read from any place on.
// Zone:   make(): capture. Everything else: stopped (inline).
// Errors: make(): the arena's. Classes beyond the limit are counted in row 0.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/arena.h"

namespace holdfast::clr {

struct CountedType {
  std::uint64_t type = 0;  // ClassID
  std::uint64_t instances = 0;
  std::uint64_t shallow_bytes = 0;  // each object's rounded up to units, as the graph has them
  std::uint32_t usual_units = 0;
  std::uint32_t usual_edges = 0;
};
static_assert(sizeof(CountedType) == 32);

class ClassTable {
 public:
  static constexpr std::uint32_t kUnknown = 0;

  static Result<ClassTable> make(Arena& arena, std::uint32_t most_classes) noexcept {
    ClassTable table;
    HF_TRY(rows, arena.make<CountedType>(std::size_t{most_classes} + 1));
    HF_TRY(slots, arena.make_zeroed<std::uint32_t>(std::bit_ceil(2 * std::size_t{most_classes})));
    HF_TRY(reference_slots, arena.make_zeroed<std::uint8_t>(std::size_t{most_classes} + 1));
    table.rows_ = rows;
    table.reference_slots_ = reference_slots;
    table.slots_ = slots;
    table.shift_ = 64u - static_cast<unsigned>(std::countr_zero(slots.size()));
    table.rows_[kUnknown] = CountedType{};
    return table;
  }

  // The number of a class; a new one when it was never seen. `fresh`: it has no usual size yet.
  std::uint32_t index_of(std::uint64_t type, bool& fresh) noexcept {
    fresh = false;
    if (type == last_type_) return last_index_;
    last_index_ = find_or_add(type, fresh);
    last_type_ = type;
    return last_index_;
  }
  CountedType& row(std::uint32_t index) noexcept { return rows_[index]; }
  // How many references its objects have room for; what else the value may be, the recorder knows.
  std::uint8_t& slots(std::uint32_t index) noexcept { return reference_slots_[index]; }
  const CountedType& row(std::uint32_t index) const noexcept { return rows_[index]; }
  // Rows that there may come to be.
  std::size_t capacity() const noexcept { return rows_.size(); }
  // Rows, the one of the unknown included.
  std::uint32_t size() const noexcept { return count_; }
  std::span<const CountedType> rows() const noexcept { return rows_.first(count_); }
  // Counts nothing any more; numbers and what is usual stay.
  void restart_counts() noexcept {
    for (std::uint32_t i = 0; i < count_; ++i) rows_[i].instances = rows_[i].shallow_bytes = 0;
  }

 private:
  std::uint32_t find_or_add(std::uint64_t type, bool& fresh) noexcept {
    if (type == 0) return kUnknown;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = static_cast<std::size_t>((type * 0x9E3779B97F4A7C15ull) >> shift_);
    for (; slots_[slot] != 0; slot = (slot + 1) & mask)
      if (rows_[slots_[slot]].type == type) return slots_[slot];
    if (count_ == rows_.size()) return kUnknown;
    slots_[slot] = count_;
    rows_[count_] = CountedType{type};
    fresh = true;
    return count_++;
  }

  std::span<CountedType> rows_;
  std::span<std::uint32_t> slots_;
  std::span<std::uint8_t> reference_slots_;
  unsigned shift_ = 0;
  std::uint32_t count_ = 1;
  std::uint64_t last_type_ = 0;
  std::uint32_t last_index_ = kUnknown;
};

}  // namespace holdfast::clr
