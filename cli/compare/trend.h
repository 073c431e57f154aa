// Everything that `holdfast trend` says of one process, as values: text and JSON are made from it.
// Shape:  rows point into the series, which must stay where they are.   Zone: offline.   Errors: none.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/compare/account_trend.h"
#include "cli/compare/change_selection.h"
#include "cli/compare/class_series.h"
#include "cli/compare/growth_judgment.h"
#include "cli/compare/object_trend.h"
#include "cli/compare/process_reports.h"

namespace holdfast::cli {

struct TrendRow {
  const OneSeries* series = nullptr;
  Growth growth;
  std::vector<double> values;  // without gaps, see ClassSeries::cautious
};

struct ProcessTrend {
  const ProcessReports* process = nullptr;
  SeriesChoice choice;
  ClassOrder order = ClassOrder::kShallow;
  std::unique_ptr<ClassSeries> series;
  std::vector<double> hours;   // of each point, since the first
  std::vector<TrendRow> rows;  // chosen by the filter: what grows first, then by change
  std::size_t tests = 0;       // series that changed enough to be looked at, whatever the filter
  Growth heap;                 // of the totals
  std::vector<double> heap_values;
  AccountTrend accounts;
  ObjectTrend objects;

  std::size_t points() const { return series->points().size(); }
  std::size_t needed() const { return least_points(tests); }
  std::uint64_t window_ms() const;
};

// Judges what the series have; `process` and `choice` say where they come from.
struct TrendSeries {
  std::unique_ptr<ClassSeries> classes;
  std::unique_ptr<AccountSeries> accounts;
  std::unique_ptr<ObjectSeries> objects;
};
ProcessTrend make_trend(const ProcessReports& process, SeriesChoice choice, ClassOrder order,
                        TrendSeries series, const NameFilter& filter);

// What grows, how fast, how sure; or that nothing does; or how many reports are missing. Names in `columns`, or in full.
std::string trend_verdict(const ProcessTrend& trend, std::size_t columns);
// What stands against it, or limits it; may be empty.
std::string trend_caution(const ProcessTrend& trend);

}  // namespace holdfast::cli
