// A column of bytes, written in stretches: room() first, then as much of it as was needed.
// Why beside Column: numbers of different lengths are written one after the other without asking for each byte.
// Shape:  contiguous; size <= granted <= capacity; the budget is drawn in steps of kGrantBytes.
// Zone:   room(), advance() and the budget: stopped. Everything else: capture.
// Errors: room() answers nullptr once the budget or the capacity is used up, and the column stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "common/column.h"

namespace holdfast::clr {

class ByteColumn {
 public:
  static constexpr std::size_t kGrantBytes = std::size_t{64} << 10;

  ByteColumn() = default;
  // `memory` is committed and holds `capacity` bytes.
  ByteColumn(std::uint8_t* memory, std::size_t capacity, GrantBudget& budget) noexcept
      : data_(memory), capacity_(capacity), budget_(&budget) {}

  // Where the next `bytes` may be written.
  std::uint8_t* room(std::size_t bytes) noexcept {
    while (granted_ - size_ < bytes)
      if (!grant()) return nullptr;
    return data_ + size_;
  }
  // Up to here they were.
  void advance(const std::uint8_t* end) noexcept { size_ = static_cast<std::size_t>(end - data_); }
  void clear() noexcept { size_ = 0; }
  std::size_t size() const noexcept { return size_; }
  std::span<const std::uint8_t> span() const noexcept { return {data_, size_}; }

 private:
  bool grant() noexcept {
    const std::size_t left = capacity_ - granted_;
    const std::size_t step = left < kGrantBytes ? left : kGrantBytes;
    if (step == 0 || budget_->left_bytes < step) return false;
    budget_->left_bytes -= step;
    budget_->drawn_bytes += step;
    granted_ += step;
    return true;
  }

  std::uint8_t* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t granted_ = 0;
  std::size_t capacity_ = 0;
  GrantBudget* budget_ = nullptr;
};

}  // namespace holdfast::clr
