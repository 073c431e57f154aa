#include "cli/compare/growth_judgment.h"

#include "common/monotone_trend.h"
#include "common/triggers/growing_classes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace holdfast::cli {
namespace {

constexpr std::size_t kQuarters = 4;
constexpr double kSteadyShare = 0.1;  // of the whole rise, that each quarter adds
constexpr double kFallingLevel = 0.05;
constexpr std::size_t kSmoothed = 3;  // points of a running median: one outlier is no fall

double median(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 != 0 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

std::array<double, kQuarters> quarter_medians(std::span<const double> values) {
  std::array<double, kQuarters> levels{};
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const std::size_t begin = values.size() * q / kQuarters;
    levels[q] = median(values.subspan(begin, values.size() * (q + 1) / kQuarters - begin));
  }
  return levels;
}

bool each_quarter_adds(std::span<const double> values) {
  const auto levels = quarter_medians(values);
  const double least = (levels.back() - levels.front()) * kSteadyShare;
  for (std::size_t q = 1; q < kQuarters; ++q)
    if (levels[q] - levels[q - 1] <= 0 || levels[q] - levels[q - 1] < least) return false;
  return true;
}

bool fell_again(std::span<const double> values) {
  double highest = 0;
  for (std::size_t i = 0; i + kSmoothed <= values.size(); ++i)
    highest = std::max(highest, median(values.subspan(i, kSmoothed)));
  const double first = quarter_medians(values).front();
  return median(values.last(kSmoothed)) < highest - kFallenShare * (highest - first);
}

double chance_of(std::span<const double> hours, std::span<const double> values, double slope) {
  const MonotoneTrend trend = monotone_trend(values);
  if (trend.tau >= kNearlyAllPairs) return trend.p_rising;
  const double drift = drift_factor(hours, values, slope);
  return std::max(trend.p_rising, p_above(trend.z / std::sqrt(drift)));
}

bool falls(std::span<const double> values) {
  std::vector<double> mirrored(values.begin(), values.end());
  for (double& value : mirrored) value = -value;
  return monotone_trend(mirrored).p_rising < kFallingLevel;
}

Course course_of(std::span<const double> hours, std::span<const double> values,
                 const Growth& growth, double least_rise) {
  const double rise = growth.per_hour * (hours.back() - hours.front());
  const auto [low, high] = std::ranges::minmax(values);
  if (high - low < least_rise) return Course::kSteady;
  if (high > values.front() + least_rise && fell_again(values)) return Course::kFellAgain;
  if (falls(values)) return Course::kFalls;
  if (rise < least_rise) return Course::kSteady;
  if (growth.chance_of_any >= kTrendLevel) return Course::kRises;
  return each_quarter_adds(values) ? Course::kGrows : Course::kFlattens;
}

}  // namespace

std::size_t least_points(std::size_t tests) {
  double best = 1;  // the chance of a series in which every pair rises: 1 of n! orders
  std::size_t points = 1;
  while (points < kLeastPoints || best * static_cast<double>(tests) >= kTrendLevel)
    best /= static_cast<double>(++points);
  return points;
}

Growth judge_growth(std::span<const double> hours, std::span<const double> values,
                    std::size_t tests, double least_rise) {
  Growth growth;
  if (values.size() < 2) return growth;
  growth.per_hour = median_slope(hours, values);
  if (values.size() < least_points(tests)) return growth;
  growth.chance = chance_of(hours, values, growth.per_hour);
  growth.chance_of_any = std::min(1.0, growth.chance * static_cast<double>(tests));
  growth.course = course_of(hours, values, growth, least_rise);
  return growth;
}

std::string_view word(Course course) {
  constexpr std::string_view kWords[] = {"too_few_reports", "grows",  "rises", "flattens",
                                         "fell_again",      "steady", "falls"};
  return kWords[static_cast<std::size_t>(course)];
}

std::string_view phrase(Course course) {
  constexpr std::string_view kPhrases[] = {
      "", "grows", "rises, not sure", "flattens or steps", "fell again", "", "falls"};
  return kPhrases[static_cast<std::size_t>(course)];
}

}  // namespace holdfast::cli
