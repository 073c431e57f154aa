// What single objects retained in report after report of one process, for the trend: those that have a number (track=on).
// Why one tracking run: an agent that is loaded anew numbers anew, so #17 of two runs are two objects. That which has the most points is
// taken; of as many, the latest.
// Shape:  points are those of ClassSeries, at most kMaxPoints; at most kMaxObjects objects, 8 B a point and object, so 2.6 MB at the
//         limits. An object that a report does not tell of is not known there: it may be too small to be named, or gone.
// Zone:   offline.   Errors: none; objects beyond the limit are counted in `dropped`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/compare/bounded_series.h"
#include "cli/compare/class_series.h"
#include "cli/report/report_view.h"

namespace holdfast::cli {

inline constexpr std::size_t kMaxObjects =
    5'000;  // 64 reports name 70 each: the largest, and what holds suspects

struct TrackedPoint {
  std::uint64_t utc_ms = 0;
  std::uint64_t began_utc_ms =
      0;  // of the tracking run; 0: no object has a number and a retained size
};

struct OneObject {
  std::uint32_t identity = 0;
  std::uint64_t began_utc_ms = 0;
  std::string class_name, loader, class_object_of, text;  // text: object_text()
  std::uint32_t first_sequence = 0;
  std::uint64_t first_utc_ms = 0;
  std::uint64_t listed = 0;  // one bit a point
  std::vector<std::uint64_t> retained;
};

class ObjectSeries {
 public:
  explicit ObjectSeries(std::size_t points)
      : series_(points < kMaxPoints ? points : kMaxPoints, kMaxObjects) {}

  // In the order of time, at most as many as there is room for.
  void add(const ReportView& view);

  const std::vector<TrackedPoint>& points() const { return series_.points(); }
  const std::vector<OneObject>& objects() const { return series_.all(); }
  std::uint64_t dropped() const { return series_.dropped(); }
  // Those of the tracking run that makes the series, ascending; empty: no report has numbers.
  std::vector<std::size_t> compared() const;

 private:
  OneObject* series_of(const ObjectView& object, std::uint64_t began_utc_ms);

  BoundedSeries<TrackedPoint, OneObject> series_;  // by "began#number"
};

bool listed_at(const OneObject& one, std::size_t point);

}  // namespace holdfast::cli
