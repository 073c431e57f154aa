// Trends for programs; the document is described in docs/reference/json-compare.md.
// Why piece by piece: the rows of a thousand reports as one tree of values would take ten times the memory of their series, and
// the series of three hundred processes a gigabyte.
// Shape:  one object, all rows unless `top`, one row a line; a trend may go once it is added.   Zone: offline.
// Errors: `out` goes bad.
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

class TrendJson {
 public:
  TrendJson(std::ostream& out, std::span<const ProcessReports> processes, std::size_t top)
      : out_(out), processes_(processes), top_(top) {}

  // In the order of the processes; at least one.
  void add(const ProcessTrend& trend);
  void finish(const std::vector<SkippedFile>& skipped);
  const std::string& verdict() const { return verdict_; }  // of the first that was added

 private:
  void begin_process();
  void add_others_before(const ProcessReports* process);

  std::ostream& out_;
  std::span<const ProcessReports> processes_;
  std::size_t top_;
  std::size_t written_ = 0;  // processes
  std::string verdict_;
};

}  // namespace holdfast::cli
