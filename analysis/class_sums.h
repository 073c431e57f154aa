// Sums by class over a few objects at a time: cleared in the time of what was touched.
// Why by name: a plug-in that is loaded again and again is a class each time, and one instance of each is no group otherwise.
// Shape:  32 B a class (the last row for unknown classes), a list of the touched ones and the row of each class: that of the
//         first class of the same name. 40 B a class; O(classes log classes) to make.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
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
    HF_TRY(row_of_class, arena.make<std::uint32_t>(rows));
    made.snapshot_ = &snapshot;
    made.sums_ = sums;
    made.touched_ = touched;
    made.row_of_class_ = row_of_class;
    made.give_rows_by_name();
    return made;
  }
  std::uint32_t row_of(std::uint32_t object) const noexcept {
    return row_of_class_[std::min<std::size_t>(snapshot_->class_of[object].value,
                                               sums_.size() - 1)];
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
  // The list of touched rows is empty as yet, and serves to sort.
  void give_rows_by_name() noexcept {
    const Catalog& catalog = snapshot_->catalog;
    const auto& classes = catalog.classes;
    const auto by_name = touched_.first(classes.size());
    std::iota(by_name.begin(), by_name.end(), 0u);
    std::sort(by_name.begin(), by_name.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t first = classes[a].name.value;
      const std::uint32_t second = classes[b].name.value;
      return first != second ? first < second : a < b;
    });
    row_of_class_.back() = static_cast<std::uint32_t>(classes.size());
    for (std::size_t i = 0; i < by_name.size(); ++i) {
      const std::uint32_t id = by_name[i];
      const bool again = i > 0 && classes[id].name == classes[by_name[i - 1]].name &&
                         !catalog.class_name(ClassId{id}).empty();
      row_of_class_[id] = again ? row_of_class_[by_name[i - 1]] : id;
    }
  }

  const Snapshot* snapshot_ = nullptr;
  std::span<ClassSum> sums_;
  std::span<std::uint32_t> touched_;
  std::span<std::uint32_t> row_of_class_;
  std::size_t touched_count_ = 0;
};

}  // namespace holdfast::analysis
