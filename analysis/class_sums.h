// Sums by class over a few objects at a time: cleared in the time of what was touched.
// Why by name: a plug-in that is loaded again and again is a class each time, and one instance of each is no group otherwise. So is
//      each hidden class, whose name differs by its address: the copies of one source (a class defined again, a lambda) have one row.
// Shape:  32 B a class (the last row for unknown classes), a list of the touched ones and the row of each class: that of the
//         first class of the same name. 40 B a class; O(classes log classes) to make.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "analysis/checksum.h"
#include "analysis/results.h"
#include "common/arena.h"

namespace holdfast::analysis {

// What a hidden class is a copy of: its name without its address, for a lambda without its number; "": it is none.
inline std::string_view source_of_hidden(const Catalog& catalog, ClassId id) noexcept {
  const std::string_view name = catalog.class_name(id);
  const std::size_t suffix = hidden_class_suffix(name);
  if (suffix == std::string_view::npos) return {};
  std::string_view source = name.substr(0, suffix);
  const std::size_t end = source.find_last_not_of("0123456789");
  const bool numbered = end != std::string_view::npos && source[end] == '$' &&
                        source.substr(0, end).ends_with("$$Lambda");
  return numbered ? source.substr(0, end) : source;
}

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
    row_of_class_.back() = static_cast<std::uint32_t>(classes.size());
    const auto copies = std::partition(by_name.begin(), by_name.end(), [&](std::uint32_t id) {
      return source_of_hidden(catalog, ClassId{id}).empty();
    });
    give_rows_of_copies({copies, by_name.end()});
    const auto others = by_name.first(static_cast<std::size_t>(copies - by_name.begin()));
    std::sort(others.begin(), others.end(), [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t first = classes[a].name.value;
      const std::uint32_t second = classes[b].name.value;
      return first != second ? first < second : a < b;
    });
    for (std::size_t i = 0; i < others.size(); ++i) {
      const std::uint32_t id = others[i];
      const bool again = i > 0 && classes[id].name == classes[others[i - 1]].name &&
                         !catalog.class_name(ClassId{id}).empty();
      row_of_class_[id] = again ? row_of_class_[others[i - 1]] : id;
    }
  }

  // Those of one source stand together; each gets the row of the one with the lowest number.
  void give_rows_of_copies(std::span<std::uint32_t> copies) noexcept {
    const Catalog& catalog = snapshot_->catalog;
    // A hash of the source, while the sums are empty: 50,000 names compared took 0.3 s.
    const auto key = [&](std::uint32_t id) -> std::uint64_t& { return sums_[id].retained_bytes; };
    for (const std::uint32_t id : copies) {
      const std::string_view source = source_of_hidden(catalog, ClassId{id});
      key(id) = checksum(std::as_bytes(std::span(source)));
    }
    std::sort(copies.begin(), copies.end(), [&](std::uint32_t a, std::uint32_t b) {
      return key(a) != key(b) ? key(a) < key(b) : a < b;
    });
    for (const std::uint32_t id : copies) key(id) = 0;
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const bool again = i > 0 && source_of_hidden(catalog, ClassId{copies[i]}) ==
                                      source_of_hidden(catalog, ClassId{copies[i - 1]});
      row_of_class_[copies[i]] = again ? row_of_class_[copies[i - 1]] : copies[i];
    }
  }

  const Snapshot* snapshot_ = nullptr;
  std::span<ClassSum> sums_;
  std::span<std::uint32_t> touched_;
  std::span<std::uint32_t> row_of_class_;
  std::size_t touched_count_ = 0;
};

}  // namespace holdfast::analysis
