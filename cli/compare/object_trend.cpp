#include "cli/compare/object_trend.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "common/time_units.h"

namespace holdfast::cli {
namespace {

// One object at the points where it is known.
struct KnownSizes {
  std::vector<double> hours, values;
};

KnownSizes known_sizes(const ObjectTrend& trend, const OneObject& one) {
  KnownSizes known;
  const std::vector<TrackedPoint>& points = trend.series->points();
  const std::uint64_t begin_ms = points[trend.compared.front()].utc_ms;
  for (const std::size_t at : trend.compared) {
    if (!listed_at(one, at)) continue;
    known.hours.push_back(static_cast<double>(points[at].utc_ms - begin_ms) / kMsPerHour);
    known.values.push_back(static_cast<double>(one.retained[at]));
  }
  return known;
}

double size_range(const std::vector<double>& values) {
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

// What grows, by its speed; then the others, by their change.
auto object_place(const ObjectTrendRow& row) {
  const bool grows = row.growth.course == Course::kGrows;
  const double change = static_cast<double>(row.last_bytes) - static_cast<double>(row.first_bytes);
  const double size = std::abs(grows ? row.growth.per_hour : change);
  return std::make_tuple(!grows, -size, row.series->identity);
}

}  // namespace

std::vector<std::optional<std::uint64_t>> ObjectTrend::retained(const OneObject& one) const {
  std::vector<std::optional<std::uint64_t>> values(series->points().size());
  for (const std::size_t at : compared)
    if (listed_at(one, at)) values[at] = one.retained[at];
  return values;
}

ObjectTrend judge_objects(std::unique_ptr<ObjectSeries> series, double least_rise) {
  ObjectTrend trend;
  trend.series = std::move(series);
  trend.compared = trend.series->compared();
  if (!trend.told()) return trend;
  std::vector<KnownSizes> known;
  for (const OneObject& one : trend.series->objects()) {
    if (one.began_utc_ms != trend.began_utc_ms()) continue;
    KnownSizes sizes = known_sizes(trend, one);
    if (sizes.values.size() < kLeastObjectPoints) continue;
    trend.tests += size_range(sizes.values) >= least_rise ? 1 : 0;
    trend.rows.push_back({&one,
                          static_cast<std::uint64_t>(sizes.values.front()),
                          static_cast<std::uint64_t>(sizes.values.back()),
                          {}});
    known.push_back(std::move(sizes));
  }
  trend.tests = std::max<std::size_t>(trend.tests, 1);
  for (std::size_t i = 0; i < trend.rows.size(); ++i)
    trend.rows[i].growth = judge_growth(known[i].hours, known[i].values, trend.tests, least_rise);
  std::ranges::sort(trend.rows, {}, object_place);
  return trend;
}

}  // namespace holdfast::cli
