// How objects and references become columns, and back. What is expected is learned per class, because objects of one class look
// alike: the same size, the same number of references, the same labels; so most differences are zero.
// Shape:  classes are coded by rank: class_of_code[0] is the class with the most objects; code class_count stands among them for
//         "unknown". 12 B a class. Objects: code, size, degree; references of 1.0: target, label (kObjectColumns, kReferenceColumns).
//         A reference's target is expected to be the one before it in its row and block, else the referrer; its label to be the one
//         before + 1, else the first of the row before of that class.
// Zone:   as columns.h.   Errors: as columns.h; a code that is no class makes code_object() answer false.
#pragma once

#include <span>

#include "analysis/snapshot_file/columns.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

inline constexpr std::size_t kObjectColumns = 3;
inline constexpr std::size_t kReferenceColumns = 2;
inline constexpr std::size_t kObjectsPerBlock = rows_per_block(kObjectColumns, kMaxNumberBytes);

// What the last object of a class was like.
struct ClassHabit {
  std::uint32_t shallow_units = 0;
  std::uint32_t degree = 0;
  std::uint32_t first_label = 0;
};

template <class Columns>
bool code_object(Columns& columns, std::span<ClassHabit> habits, std::uint32_t& code,
                 std::uint32_t& shallow_units, std::uint32_t& degree) noexcept {
  columns.number(0, code);
  if (code >= habits.size()) return false;
  ClassHabit& habit = habits[code];
  columns.delta(1, shallow_units, habit.shallow_units);
  columns.delta(2, degree, habit.degree);
  habit.shallow_units = shallow_units;
  habit.degree = degree;
  return true;
}

// Where the coding of references stands inside a row.
struct RowPosition {
  std::uint32_t target = 0;  // expected next
  std::uint32_t label = 0;
};

// The start of a row, or of what is left of it in a new block.
inline RowPosition start_row(std::uint32_t referrer, const ClassHabit& habit) noexcept {
  return {referrer, habit.first_label};
}

}  // namespace holdfast::analysis
