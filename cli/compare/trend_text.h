// Trends for a person: the verdict first, then the classes with their series.
// Shape:  one string, made by Page; no line is wider than the page.   Zone: offline.   Errors: none.
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
};

struct TrendTextOptions {
  std::size_t columns = 80;
  bool colour = false;
  bool blocks = true;  // else sparklines in ASCII
  std::size_t top = 15;
};

std::string trend_text(std::span<const ProcessTrend> trends, const TrendContext& context,
                       const TrendTextOptions& options);

}  // namespace holdfast::cli
