// Which rows of a comparison are shown, in what order, and what the others are together: --top, --sort, --class, --skip.
// Shape:  O(rows log rows). By the absolute change that is certain, then by the whole absolute change, then by name, so that
//         output does not change from run to run. Shown rows and rest add up to the list's totals.
// Zone:   offline.   Errors: none.
#pragma once

#include <string>
#include <vector>

#include "cli/compare/comparison.h"

namespace holdfast::cli {

// Class names; all without a pattern. As analysis/name_pattern.h has them.
struct NameFilter {
  std::vector<std::string> wanted, skipped;

  bool takes(std::string_view name) const;
  bool empty() const { return wanted.empty() && skipped.empty(); }
};

struct ChangeSelection {
  std::vector<const RowChange*> rows;
  RestSide before, after;     // of all that is not in rows; counts are of names
  std::size_t changed = 0;    // rows that the filter takes and that changed in any way
  std::size_t unchanged = 0;  // rows that the filter takes and that did not
};
ChangeSelection select_changes(const ListChange& list, ClassOrder order, std::size_t top,
                               const NameFilter& filter);

// Indices of the paths with the largest changes of retained size, ascending, with all that stand above them.
std::vector<std::uint32_t> select_paths(const std::vector<PathChange>& tree, std::size_t top);

bool changed(const Side& before, const Side& after);

}  // namespace holdfast::cli
