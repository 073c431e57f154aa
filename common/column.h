// A column: one array that the capture appends to while the VM is stopped.
// Why: address space is reserved for the worst split and committed before the pause; how much of it may be *used* is one
//      shared budget, so objects and references share the memory in whatever proportion the heap has.
// Shape:  contiguous T[capacity]; size <= granted <= capacity; the budget is drawn in steps of kGrantBytes.
//         sum of granted bytes over all columns <= budget.
// Zone:   push() and the budget: stopped. Everything else: capture.
// Errors: push() answers false once the budget or the capacity is used up, and the column stays as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace holdfast {

// Bytes that columns may still draw while the VM is stopped. Owned by one thread at a time, so plain numbers.
struct GrantBudget {
  std::uint64_t left_bytes = 0;
  std::uint64_t drawn_bytes = 0;
};

template <class T>
class Column {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kGrantBytes = std::size_t{64} << 10;
  static constexpr std::size_t kGrantCount = kGrantBytes / sizeof(T);

  Column() = default;
  // `memory` is committed (readable and writable) and holds `capacity` elements.
  Column(T* memory, std::size_t capacity, GrantBudget& budget) noexcept
      : data_(memory), capacity_(capacity), budget_(&budget) {}

  bool push(T value) noexcept {
    if (size_ == granted_ && !grant()) return false;
    data_[size_++] = value;
    return true;
  }
  void clear() noexcept { size_ = 0; }
  void truncate(std::size_t size) noexcept { size_ = size < size_ ? size : size_; }
  std::size_t size() const noexcept { return size_; }
  std::size_t capacity() const noexcept { return capacity_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  std::span<T> span() noexcept { return {data_, size_}; }
  std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  bool grant() noexcept {
    const std::size_t step =
        capacity_ - granted_ < kGrantCount ? capacity_ - granted_ : kGrantCount;
    if (step == 0 || budget_->left_bytes < step * sizeof(T)) return false;
    budget_->left_bytes -= step * sizeof(T);
    budget_->drawn_bytes += step * sizeof(T);
    granted_ += step;
    return true;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t granted_ = 0;
  std::size_t capacity_ = 0;
  GrantBudget* budget_ = nullptr;
};

}  // namespace holdfast
