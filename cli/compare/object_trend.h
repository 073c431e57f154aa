// What `holdfast trend` says of single objects that have a number, as values: what each retains, and does that grow.
// Why three points at least: two are a difference, which `holdfast diff` tells.
// Shape:  rows point into the series; what grows first, then by change. Only points at which an object is known are judged: its size
//         where no report tells of it is not made up.
// Zone:   offline.   Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "cli/compare/growth_judgment.h"
#include "cli/compare/object_series.h"

namespace holdfast::cli {

inline constexpr std::size_t kLeastObjectPoints = 3;

struct ObjectTrendRow {
  const OneObject* series = nullptr;
  std::uint64_t first_bytes = 0, last_bytes = 0;  // retained, where it is known first and last
  Growth growth;
};

struct ObjectTrend {
  std::unique_ptr<ObjectSeries> series;
  std::vector<std::size_t> compared;  // points of the series
  std::vector<ObjectTrendRow> rows;
  std::size_t tests = 0;  // objects that changed enough to be looked at

  bool told() const { return !compared.empty(); }
  std::uint64_t began_utc_ms() const { return series->points()[compared.back()].began_utc_ms; }
  // What it retains at each point of all; absent where it is not known.
  std::vector<std::optional<std::uint64_t>> retained(const OneObject& one) const;
};

// `least_rise`: what is worth a word, in bytes.
ObjectTrend judge_objects(std::unique_ptr<ObjectSeries> series, double least_rise);

}  // namespace holdfast::cli
