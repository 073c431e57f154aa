// What was counted of each class (heap/class_table.h), as the core wants it: ClassIDs in the order of the catalog, and a histogram.
// Shape:  row 0 of the table stands for objects without a class: it is the last row of a histogram. Class i of the catalog is row i + 1.
// Zone:   capture.   Errors: the arena's.
#pragma once

#include <span>

#include "clrprofiler/com.h"
#include "clrprofiler/heap/class_table.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

// Those of a table that have objects, in a table of their own.
struct MetClasses {
  std::span<const CountedType> rows;   // row 0 stands for objects without a class
  std::span<const std::uint32_t> row;  // by the number in the whole table; 0: it has no objects
};
Result<MetClasses> met_classes(std::span<const CountedType> all, Arena& arena) noexcept;

Result<std::span<const ClassID>> class_ids(std::span<const CountedType> rows,
                                           Arena& arena) noexcept;
// By the class's index.
Result<std::span<const ClassId>> class_numbers(std::span<const CountedType> rows,
                                               Arena& arena) noexcept;
// The capture becomes a histogram; of its snapshot the catalog stays.
Result<void> make_histogram(std::span<const CountedType> rows, Arena& arena, Capture& out) noexcept;

}  // namespace holdfast::clr
