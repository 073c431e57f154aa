// A report as text for a person: the verdict first, then what it rests on, then everything else.
// Shape:  sections in the order of report_text.cpp; lists cut at `top` rows, the rest summed up. O(report).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/report/selection.h"

namespace holdfast::cli {

struct TextOptions {
  std::size_t columns = 80;
  bool colour = false;
  std::size_t top = 15;
  std::optional<ClassOrder> order = std::nullopt;  // absent: by retained size, then by shallow size
  std::vector<std::string> sections = {};          // by the names of section_list.h; none: all
  bool asked_by_name = false;                      // an empty section says so
  std::string remark = {};                         // what a filter left out; empty: nothing
  bool one_account = false;                        // the only one of the view, whole
  std::size_t tree_rows = 0;                       // 0: as many as `top` says
  bool tree_is_whole = true;          // false: nodes were passed over, so children do not add up
  const ReportView* whole = nullptr;  // without the filter, for the verdict
};

std::string report_text(const ReportView& view, const TextOptions& options);

}  // namespace holdfast::cli
