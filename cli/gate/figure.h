// What a report says about one quantity of an assertion: a figure, or between which bounds it lies, and why not closer.
// Why bounds: a report sums up the classes for which it has no room, retained sizes of several classes overlap, and a capture may
//      have lost something. A single number would then be a guess, and a gate that guesses lets leaks pass.
// Shape:  least <= true figure <= most; both are equal where the report knows. Without `known` it says nothing at all, and
//         `doubt` why. O(rows).
// Zone:   offline.   Errors: none; figures above 2^53 are rounded.
#pragma once

#include <string>
#include <vector>

#include "cli/gate/assertion.h"
#include "cli/gate/chosen_rows.h"
#include "cli/report/report_view.h"

namespace holdfast::cli {

struct Figure {
  bool known = true;
  double least = 0;
  double most = 0;
  std::string doubt;             // why not exact
  bool chosen = false;           // by a pattern
  std::vector<MatchedRow> rows;  // that the pattern matches, by the measure, largest first
  bool exact() const { return known && least == most; }
};

// Of the report alone: of a growth, the figure that grows.
Figure measure(const Assertion& assertion, const ReportView& view);

std::uint64_t measure_of(const MatchedRow& row, const Assertion& assertion);

}  // namespace holdfast::cli
