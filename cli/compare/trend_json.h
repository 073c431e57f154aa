// Trends for programs; the document is described in cli/README.md.
// Shape:  one object, all rows unless `top`.   Zone: offline.   Errors: none.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/compare/trend.h"

namespace holdfast::cli {

inline constexpr int kTrendSchemaVersion = 1;

struct SkippedFile {
  std::string file, reason;
};

std::string trend_json(std::span<const ProcessTrend> trends,
                       std::span<const ProcessReports> processes,
                       const std::vector<SkippedFile>& skipped, std::size_t top);

}  // namespace holdfast::cli
