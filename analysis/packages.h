// Packages: which class belongs to which, and what each has in the heap.
// Shape:  the package is the class name up to its last '.', before type arguments, array brackets and the address that hidden
//         classes carry; what a C# compiler makes ("shop.Cart.<>c") is nested in a class, and belongs to that one's package. An array
//         belongs to its element's package, so arrays of primitives to "". Names are views into the catalog. O(classes); hash table
//         of 4 B a slot, at most half full; 4 B a class.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <string_view>

#include "analysis/class_figures.h"

namespace holdfast::analysis {

std::string_view package_of(std::string_view class_name) noexcept;

struct PackageGroups {
  std::span<const std::uint32_t> of_class;  // [class count] index into names
  std::span<const std::string_view> names;  // in order of their first class
};
Result<PackageGroups> group_packages(const Catalog& catalog, Arena& arena) noexcept;

Result<std::span<const SetFigures>> package_figures(const Snapshot& snapshot,
                                                    const Dominators& dominators,
                                                    std::span<const ClassFigures> classes,
                                                    Arena& arena,
                                                    const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
