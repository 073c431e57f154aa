#include "cli/compare/trend.h"

#include "common/time_units.h"
#include "common/triggers/growing_classes.h"

#include <algorithm>
#include <cmath>

#include "cli/compare/change_text.h"
#include "cli/report/verdict.h"
#include "cli/text/class_name.h"
#include "cli/text/display_text.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

constexpr std::uint64_t kDayMs = 86'400'000;
// What is not worth a word: a thousandth of the heap, and what any program's start adds.
constexpr double kLeastRiseShare = 0.001;
constexpr double kLeastRiseBytes = 16 * 1024;
constexpr double kLeastRiseInstances = 100;

double least_rise(const std::vector<double>& totals, ClassOrder order) {
  double sum = 0;
  for (const double total : totals) sum += total;
  const double mean = totals.empty() ? 0 : sum / static_cast<double>(totals.size());
  return std::max(mean * kLeastRiseShare,
                  order == ClassOrder::kInstances ? kLeastRiseInstances : kLeastRiseBytes);
}

double range_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto [low, high] = std::ranges::minmax(values);
  return high - low;
}

double change_of(const std::vector<double>& values) {
  return values.empty() ? 0 : values.back() - values.front();
}

bool grows_first(const TrendRow& a, const TrendRow& b) {
  const bool a_grows = a.growth.course == Course::kGrows;
  const bool b_grows = b.growth.course == Course::kGrows;
  if (a_grows != b_grows) return a_grows;
  const double a_size = std::abs(a_grows ? a.growth.per_hour : change_of(a.values));
  const double b_size = std::abs(a_grows ? b.growth.per_hour : change_of(b.values));
  if (a_size != b_size) return a_size > b_size;
  return a.series->name != b.series->name ? a.series->name < b.series->name
                                          : a.series->loader < b.series->loader;
}

bool own(const TrendRow& row) { return !row.series->platform && is_telling(row.series->name); }

std::string trend_name_text(std::string_view name, std::size_t columns) {
  if (name.empty()) return "(objects of unknown class)";
  return columns == kFullNames ? std::string(name) : shorten_name(printable(name), columns);
}

std::string speed_text(const TrendRow& row, ClassOrder order) {
  const std::string unit = order == ClassOrder::kInstances
                               ? " instances an hour"
                               : " of " + std::string(figure_name(order)) + " an hour";
  return change_text(std::llround(row.growth.per_hour), order) + unit;
}

std::string over_text(const ProcessTrend& trend) {
  return counted(trend.points(), "report") + " over " +
         human_duration(trend.window_ms() * kNsPerMs);
}

std::string chance_text(double chance) {
  if (chance < 0.0001) return "below 0.0001";
  return chance < 0.001 ? "below 0.001" : "below 0.01";
}

// The class of the program's own that grows fastest; without one the fastest of all.
const TrendRow* telling_row(const ProcessTrend& trend) {
  const TrendRow* first = nullptr;
  for (const TrendRow& row : trend.rows) {
    if (row.growth.course != Course::kGrows) break;
    if (first == nullptr) first = &row;
    if (own(row)) return &row;
  }
  return first;
}

std::string too_few_verdict(const ProcessTrend& trend) {
  return "Too few reports to tell growth from chance: " + thousands(trend.points()) +
         " that can be compared; the test needs " + thousands(trend.needed()) + ", " +
         thousands(trend.needed() - trend.points()) + " more";
}

}  // namespace

std::uint64_t ProcessTrend::window_ms() const {
  const std::vector<SeriesPoint>& all = series->points();
  return all.empty() ? 0 : all.back().utc_ms - all.front().utc_ms;
}

ProcessTrend make_trend(const ProcessReports& process, SeriesChoice choice, ClassOrder order,
                        TrendSeries series, const NameFilter& filter) {
  ProcessTrend trend;
  trend.process = &process;
  trend.choice = std::move(choice);
  trend.order = order;
  trend.series = std::move(series.classes);
  for (const SeriesPoint& point : trend.series->points())
    trend.hours.push_back(
        static_cast<double>(point.utc_ms - trend.series->points().front().utc_ms) / kMsPerHour);
  trend.heap_values = trend.series->totals(order);
  const double least = least_rise(trend.heap_values, order);
  for (const OneSeries& one : trend.series->classes()) {
    TrendRow row{&one, {}, trend.series->cautious(one, order)};
    trend.tests += range_of(row.values) >= least ? 1 : 0;
    if (filter.takes(one.name)) trend.rows.push_back(std::move(row));
  }
  trend.tests = std::max<std::size_t>(trend.tests, 1);
  for (TrendRow& row : trend.rows)
    row.growth = judge_growth(trend.hours, row.values, trend.tests, least);
  trend.accounts = judge_accounts(std::move(series.accounts), order, least);
  const std::vector<double> bytes = trend.series->totals(ClassOrder::kShallow);
  trend.objects = judge_objects(std::move(series.objects), least_rise(bytes, ClassOrder::kShallow));
  trend.heap = judge_growth(trend.hours, trend.heap_values, 1, least);
  std::ranges::sort(trend.rows, grows_first);
  return trend;
}

std::string trend_verdict(const ProcessTrend& trend, std::size_t columns) {
  if (trend.points() < trend.needed()) return too_few_verdict(trend);
  const TrendRow* const first = telling_row(trend);
  if (first == nullptr)
    return "No class grows: none rises steadily beyond chance (" + over_text(trend) + ", " +
           counted(trend.tests, "class", "classes") + " changed enough to be tested)";
  const auto growing = static_cast<std::uint64_t>(std::ranges::count_if(
      trend.rows, [](const TrendRow& row) { return row.growth.course == Course::kGrows; }));
  std::string text = trend_name_text(first->series->name, columns) +
                     " grows: " + speed_text(*first, trend.order) + ", " + over_text(trend) +
                     "; were its values independent, the chance that any of " +
                     counted(trend.tests, "class", "classes") + " rises so would be " +
                     chance_text(first->growth.chance_of_any);
  if (first == &trend.rows.front())
    return growing == 1 ? text : text + "; " + thousands(growing - 1) + " more grow";
  return text + "; of " + thousands(growing) + " that grow, the fastest is " +
         trend_name_text(trend.rows.front().series->name, columns) + ": " +
         speed_text(trend.rows.front(), trend.order);
}

std::string trend_caution(const ProcessTrend& trend) {
  if (trend.points() < trend.needed()) return "Until then the changes are differences, no trend.";
  if (telling_row(trend) == nullptr) return "";
  std::string text = trend.heap.course == Course::kGrows
                         ? "The heap as a whole grows with it."
                         : "The heap as a whole does not grow beyond chance.";
  if (trend.window_ms() < kDayMs)
    text +=
        " All this is less than a day: a load that only rises with the hours looks the same "
        "until it goes down.";
  return text;
}

}  // namespace holdfast::cli
