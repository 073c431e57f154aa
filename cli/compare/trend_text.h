// Trends for a person: the verdict first, then the classes with their series.
// Shape:  one string a process, made by Page; no line is wider than the page.   Zone: offline.   Errors: none.
#pragma once

#include <span>
#include <string>

#include "cli/compare/trend.h"

namespace holdfast::cli {

// What was read beside the trends that are shown.
struct TrendContext {
  std::size_t files = 0;
  std::size_t skipped = 0;  // damaged or foreign
  std::span<const ProcessReports> processes;
  std::span<const ProcessReports* const> shown;  // of them
};

struct TrendTextOptions {
  std::size_t columns = 80;
  bool colour = false;
  bool blocks = true;  // else sparklines in ASCII
  std::size_t top = 15;
};

// Of one process; the first of those that are shown says what else was read.
std::string trend_text(const ProcessTrend& trend, const TrendContext& context,
                       const TrendTextOptions& options);

}  // namespace holdfast::cli
