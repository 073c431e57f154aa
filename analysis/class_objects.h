// Which class a class object stands for: grouping lists it there and not under java.lang.Class.
// Shape:  one bit an object + 8 B a class. O(log classes) for class objects, one bit for all others. Where several classes name
//         the same class object, the first of them counts.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "analysis/object_sets.h"

namespace holdfast::analysis {

class ClassObjects {
 public:
  static Result<ClassObjects> make(const Snapshot& snapshot, Arena& arena) noexcept;

  // A class that was unloaded or never known has the row behind the last class.
  std::uint32_t unknown_row() const noexcept { return unknown_row_; }
  bool is_class_object(std::uint32_t object) const noexcept { return set_.contains(object); }
  // The row of the class that the object is of, or, for a class object, stands for.
  std::uint32_t row_of(std::uint32_t object) const noexcept {
    if (is_class_object(object)) return row_behind(object);
    return std::min(snapshot_->class_of[object].value, unknown_row_);
  }

 private:
  struct Pair {
    std::uint32_t object;
    std::uint32_t row;
    friend auto operator<=>(const Pair&, const Pair&) = default;
  };
  std::uint32_t row_behind(std::uint32_t class_object) const noexcept {
    return std::lower_bound(pairs_.begin(), pairs_.end(), Pair{class_object, 0})->row;
  }

  const Snapshot* snapshot_ = nullptr;
  std::uint32_t unknown_row_ = 0;
  ObjectSet set_;
  std::span<const Pair> pairs_;  // rising
};

}  // namespace holdfast::analysis
