#include "cli/compare/class_series.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

SeriesPoint point_of(const ReportView& view) {
  SeriesPoint point;
  point.utc_ms = view.origin.started_utc_ms;
  point.totals = totals_of(view);
  point.whole = view.classes_total <= view.classes.size();
  std::uint64_t least = UINT64_MAX;  // the writer ranks by the largest of these
  for (const ClassView& row : view.classes)
    least = std::min(least, std::max({row.retained_bytes, row.shallow_bytes, row.unheld_bytes}));
  const ClassView& rest = view.rest_of_classes;
  point.at_most = {rest.instances, std::min(least, rest.shallow_bytes),
                   std::min(least, point.totals.retained_bytes)};
  return point;
}

}  // namespace

OneSeries* ClassSeries::series_of(const ClassView& row) {
  std::string key(row.name);
  key.append(1, '\0').append(row.loader);
  return series_.find_or_add(std::move(key), [&] {
    return OneSeries{std::string(row.name), std::string(row.loader), row.platform, 0,
                     std::vector<Figures>(series_.room())};
  });
}

void ClassSeries::add(const ReportView& view) {
  if (series_.full()) return;
  const std::size_t at = points().size();
  series_.add_point(point_of(view));
  for (const ClassView& row : view.classes) {
    OneSeries* const one = series_of(row);
    if (one == nullptr) continue;
    one->listed |= std::uint64_t{1} << at;
    one->figures[at].instances += row.instances;
    one->figures[at].shallow_bytes += row.shallow_bytes;
    one->figures[at].retained_bytes += row.retained_bytes;
  }
}

std::vector<std::optional<std::uint64_t>> ClassSeries::known(const OneSeries& one,
                                                             ClassOrder which) const {
  std::vector<std::optional<std::uint64_t>> values(points().size());
  for (std::size_t i = 0; i < points().size(); ++i) {
    const bool listed = (one.listed >> i & 1) != 0;
    if (listed || points()[i].whole) values[i] = figure(one.figures[i], which);
  }
  return values;
}

std::vector<double> ClassSeries::cautious(const OneSeries& one, ClassOrder which) const {
  const auto values = known(one, which);
  const auto first = static_cast<std::size_t>(
      std::ranges::find_if(values, [](const auto& v) { return v.has_value(); }) - values.begin());
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < first; ++i) most = std::max(most, figure(points()[i].at_most, which));
  std::vector<double> filled;
  for (std::size_t i = 0; i < values.size(); ++i)
    filled.push_back(static_cast<double>(values[i].value_or(i < first ? most : 0)));
  return filled;
}

std::vector<double> ClassSeries::totals(ClassOrder which) const {
  std::vector<double> values;
  for (const SeriesPoint& point : points())
    values.push_back(static_cast<double>(figure(point.totals, which)));
  return values;
}

}  // namespace holdfast::cli
