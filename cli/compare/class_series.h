// What each class took in report after report of one process, for the trend.
// Why bounded: a directory holds a thousand reports of thousands of classes; they are read one by one, and only these series stay.
// Shape:  at most kMaxPoints points (reports), at most kMaxSeries classes; 24 B a point and class, so 9 MB at the limits, and
//         6 MB for the 4,000 classes that one report lists at most. A class that a report does not list is known to have nothing
//         where the report lists all classes; else it is not known there, and bounded by what the report's least row has.
// Zone:   offline.   Errors: none; classes beyond the limit are counted in `dropped`.
#pragma once

#include "common/monotone_trend.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/compare/bounded_series.h"
#include "cli/compare/comparison.h"

namespace holdfast::cli {

inline constexpr std::size_t kMaxPoints = kMaxTrendSamples;
inline constexpr std::size_t kMaxSeries = 6'000;

struct SeriesPoint {
  std::uint64_t utc_ms = 0;
  Figures totals;
  Figures at_most;     // of a class that is not listed
  bool whole = false;  // all classes are listed
};

struct OneSeries {
  std::string name, loader;
  bool platform = false;
  std::uint64_t listed = 0;  // one bit a point
  std::vector<Figures> figures;
};

class ClassSeries {
 public:
  explicit ClassSeries(std::size_t points)
      : series_(points < kMaxPoints ? points : kMaxPoints, kMaxSeries) {}

  // In the order of time, at most as many as there is room for.
  void add(const ReportView& view);

  const std::vector<SeriesPoint>& points() const { return series_.points(); }
  const std::vector<OneSeries>& classes() const { return series_.all(); }
  std::uint64_t dropped() const { return series_.dropped(); }

  // One figure at each point; absent where it is not known.
  std::vector<std::optional<std::uint64_t>> known(const OneSeries& one, ClassOrder which) const;
  // The same without gaps, so that no growth is made up: before the class is first listed the most that it can have had,
  // afterwards nothing.
  std::vector<double> cautious(const OneSeries& one, ClassOrder which) const;
  std::vector<double> totals(ClassOrder which) const;

 private:
  OneSeries* series_of(const ClassView& row);

  BoundedSeries<SeriesPoint, OneSeries> series_;  // by "class\0loader"
};

}  // namespace holdfast::cli
