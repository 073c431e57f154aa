// Trends for programs; the document is described in cli/README.md.
// Why piece by piece: the rows of a thousand reports as one tree of values would take ten times the memory of their series.
// Shape:  one object, all rows unless `top`, one row a line.   Zone: offline.   Errors: `out` goes bad.
#pragma once

#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "cli/compare/trend.h"

namespace holdfast::cli {

inline constexpr int kTrendSchemaVersion = 1;

struct SkippedFile {
  std::string file, reason;
};

void write_trend_json(std::ostream& out, std::span<const ProcessTrend> trends,
                      std::span<const ProcessReports> processes,
                      const std::vector<SkippedFile>& skipped, std::size_t top);

}  // namespace holdfast::cli
