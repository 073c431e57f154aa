// Sums by class over a few objects at a time: cleared in the time of what was touched.
// Shape:  32 B a class (the last row for unknown classes) and a list of the touched ones.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analysis/results.h"
#include "common/arena.h"

namespace holdfast::analysis {

struct ClassSum {
  std::uint64_t retained_bytes = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t largest_retained_bytes = 0;
  std::uint32_t objects = 0;
};

class ClassSums {
 public:
  static Result<ClassSums> make(const Snapshot& snapshot, Arena& arena) noexcept {
    const std::size_t rows = snapshot.catalog.classes.size() + 1;
    ClassSums made;
    HF_TRY(sums, arena.make_filled<ClassSum>(rows, ClassSum{}));
    HF_TRY(touched, arena.make<std::uint32_t>(rows));
    made.snapshot_ = &snapshot;
    made.sums_ = sums;
    made.touched_ = touched;
    return made;
  }
  std::uint32_t row_of(std::uint32_t object) const noexcept {
    return static_cast<std::uint32_t>(
        std::min<std::size_t>(snapshot_->class_of[object].value, sums_.size() - 1));
  }
  void add(std::uint32_t object, std::uint64_t retained_bytes) noexcept {
    const std::uint32_t row = row_of(object);
    ClassSum& sum = sums_[row];
    if (sum.objects == 0) touched_[touched_count_++] = row;
    ++sum.objects;
    sum.retained_bytes += retained_bytes;
    sum.shallow_bytes += snapshot_->shallow_bytes(ObjectId{object});
    sum.largest_retained_bytes = std::max(sum.largest_retained_bytes, retained_bytes);
  }
  std::span<const std::uint32_t> touched() const noexcept { return touched_.first(touched_count_); }
  const ClassSum& operator[](std::uint32_t row) const noexcept { return sums_[row]; }
  ClassId class_of_row(std::uint32_t row) const noexcept {
    return row + 1 < sums_.size() ? ClassId{row} : ClassId{};
  }
  void clear() noexcept {
    for (const std::uint32_t row : touched()) sums_[row] = ClassSum{};
    touched_count_ = 0;
  }
  // The touched row with the largest retained size, the lower row of equals; false when nothing was added.
  bool largest(std::uint32_t& row) const noexcept {
    for (std::size_t i = 0; i < touched_count_; ++i) {
      const std::uint32_t at = touched_[i];
      if (i == 0 || sums_[at].retained_bytes > sums_[row].retained_bytes ||
          (sums_[at].retained_bytes == sums_[row].retained_bytes && at < row))
        row = at;
    }
    return touched_count_ != 0;
  }

 private:
  const Snapshot* snapshot_ = nullptr;
  std::span<ClassSum> sums_;
  std::span<std::uint32_t> touched_;
  std::size_t touched_count_ = 0;
};

}  // namespace holdfast::analysis
