// An array that grows in place: address space for the most that it can hold, pages charged to the ledger as they fill.
// Why: how many objects and references a dump holds is known only once it has been read; a vector would need twice the
//      memory whenever it moves.
// Shape:  contiguous T[size], size <= capacity; charged in steps of kStepBytes, given back at once. Arrays that can never fill
//         one such step take kSmallStepBytes: a dump of a few kilobytes must not cost forty megabytes.
// Zone:   offline.
// Errors: ImportFailure with kOutOfBudget (ledger), kOutOfMemory (address space or pages refused), kTooMany (capacity).
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

#include "analysis/import/import_failure.h"
#include "common/ledger.h"
#include "platforms/pages.h"

namespace holdfast::analysis {

template <class T>
class GrowingArray {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static constexpr std::size_t kStepBytes = std::size_t{2} << 20;
  static constexpr std::size_t kSmallStepBytes = std::size_t{16} << 10;

  GrowingArray() = default;
  GrowingArray(std::uint64_t capacity, Ledger& ledger, MemoryCategory category)
      : ledger_(&ledger), category_(category) {
    if (capacity < kStepBytes / sizeof(T)) step_bytes_ = kSmallStepBytes;
    reserved_bytes_ = whole_steps(capacity * sizeof(T));
    data_ = reinterpret_cast<T*>(platforms::reserve_pages(reserved_bytes_));
    if (data_ == nullptr)
      throw ImportFailure(ErrorCode::kOutOfMemory, 0, "the system refuses address space");
  }
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray moved(std::move(other));
    swap(moved);
    return *this;
  }
  ~GrowingArray() {
    if (data_ == nullptr) return;
    platforms::release_pages(reinterpret_cast<std::byte*>(data_), reserved_bytes_);
    ledger_->refund(category_, committed_bytes_);
  }

  void push(T value) {
    if (size_ == committed_count_) commit(size_ + 1);
    data_[size_++] = value;
  }
  void append(std::span<const T> values) {
    if (size_ + values.size() > committed_count_) commit(size_ + values.size());
    std::copy(values.begin(), values.end(), data_ + size_);
    size_ += values.size();
  }
  // New elements are zero: their pages are fresh.
  void grow_to(std::size_t count) {
    if (count > committed_count_) commit(count);
    size_ = std::max(size_, count);
  }
  void clear() { *this = GrowingArray(); }

  std::size_t size() const noexcept { return size_; }
  T& operator[](std::size_t i) noexcept { return data_[i]; }
  const T& operator[](std::size_t i) const noexcept { return data_[i]; }
  std::span<T> span() noexcept { return {data_, size_}; }
  std::span<const T> span() const noexcept { return {data_, size_}; }

 private:
  std::size_t whole_steps(std::uint64_t bytes) const noexcept {
    return static_cast<std::size_t>((bytes / step_bytes_ + 1) * step_bytes_);
  }
  void commit(std::size_t count) {
    const std::size_t wanted = whole_steps(std::uint64_t{count} * sizeof(T));
    if (wanted > reserved_bytes_)
      throw ImportFailure(ErrorCode::kTooMany, 0, "more entries than the input can hold");
    const std::size_t more = wanted - committed_bytes_;
    if (!ledger_->charge(category_, more))
      throw ImportFailure(ErrorCode::kOutOfBudget, 0, "the memory limit is used up");
    std::byte* const from = reinterpret_cast<std::byte*>(data_) + committed_bytes_;
    if (!platforms::commit_pages(from, more)) {
      ledger_->refund(category_, more);
      throw ImportFailure(ErrorCode::kOutOfMemory, 0, "the system refuses memory");
    }
    if (step_bytes_ == kStepBytes) platforms::advise_huge_pages(from, more);
    committed_bytes_ = wanted;
    committed_count_ = wanted / sizeof(T);
  }
  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(committed_count_, other.committed_count_);
    std::swap(committed_bytes_, other.committed_bytes_);
    std::swap(reserved_bytes_, other.reserved_bytes_);
    std::swap(step_bytes_, other.step_bytes_);
    std::swap(ledger_, other.ledger_);
    std::swap(category_, other.category_);
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t committed_count_ = 0;
  std::size_t committed_bytes_ = 0;
  std::size_t reserved_bytes_ = 0;
  std::size_t step_bytes_ = kStepBytes;
  Ledger* ledger_ = nullptr;
  MemoryCategory category_ = MemoryCategory::kCapture;
};

}  // namespace holdfast::analysis
