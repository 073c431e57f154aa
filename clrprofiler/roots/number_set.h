// A set of numbers but 0.
// Shape:  open addressing, at most half full: 16 B a number; a full one takes no more.
// Zone:   capture.   Errors: make(): kOutOfBudget.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

#include "common/arena.h"

namespace holdfast::clr {

class NumberSet {
 public:
  Result<void> make(std::size_t most, Arena& arena) noexcept {
    HF_TRY(numbers, arena.make_filled<std::uint64_t>(std::bit_ceil(2 * most), 0));
    numbers_ = numbers;
    return {};
  }
  // False when it is there already, or there is no room.
  bool add(std::uint64_t number) noexcept {
    std::uint64_t& place = place_of(number);
    if (number == 0 || place == number || 2 * used_ >= numbers_.size()) return false;
    place = number;
    ++used_;
    return true;
  }
  bool has(std::uint64_t number) noexcept { return place_of(number) == number; }
  std::uint32_t used() const noexcept { return static_cast<std::uint32_t>(used_); }

 private:
  std::uint64_t& place_of(std::uint64_t number) noexcept {
    const std::size_t mask = numbers_.size() - 1;
    std::size_t at = static_cast<std::size_t>((number * 0x9E3779B97F4A7C15u) >> 20) & mask;
    while (numbers_[at] != 0 && numbers_[at] != number) at = (at + 1) & mask;
    return numbers_[at];
  }

  std::span<std::uint64_t> numbers_;
  std::size_t used_ = 0;
};

}  // namespace holdfast::clr
