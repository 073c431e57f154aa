// The rows that are shown, and the sum of those that are not: --top and --sort for text and JSON alike.
// Shape:  O(rows log rows); ties keep the report's order, so that output does not change from run to run.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cli/report/report_view.h"

namespace holdfast::cli {

inline constexpr std::size_t kAllRows = SIZE_MAX;

enum class ClassOrder : std::uint8_t { kRetained, kShallow, kInstances };

struct ClassSelection {
  std::vector<const ClassView*> rows;
  ClassView
      rest;  // of what is not in rows; retained sizes are added up, so they may count bytes twice
  std::uint64_t rest_count = 0;  // classes
};
ClassSelection select_classes(const ReportView& view, ClassOrder order, std::size_t top);

// What a sum of rows becomes with one more.
void add_to_rest(ClassView& sum, const ClassView& row);

struct SetSelection {
  std::vector<const SetView*> rows;
  SetView rest;
  std::uint64_t rest_count = 0;
};
SetSelection select_sets(const std::vector<SetView>& sets, const SetView& rest, std::uint64_t total,
                         bool by_retained, std::size_t top);

// Ids of the shown tree nodes with the largest retained sizes, ascending; a node's parent is always among them.
std::vector<std::uint32_t> select_tree(const ReportView& view, std::size_t top);
std::vector<const ThreadView*> select_threads(const ReportView& view, std::size_t top);

}  // namespace holdfast::cli
