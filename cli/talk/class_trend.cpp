#include "cli/talk/class_trend.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "common/monotone_trend.h"

namespace holdfast::cli {

double chance_of_rise(std::span<const std::uint64_t> bytes) {
  if (bytes.size() < kLeastTrendSamples) return 1;
  const std::span<const std::uint64_t> last = bytes.last(std::min(bytes.size(), kMaxTrendSamples));
  std::vector<double> values, times;
  for (const std::uint64_t each : last) {
    times.push_back(static_cast<double>(values.size()));
    values.push_back(static_cast<double>(each));
  }
  const MonotoneTrend trend = monotone_trend(values);
  const double slope = median_slope(times, values);
  const double drift = drift_factor(times, values, slope);
  return std::max(trend.p_rising, p_above(trend.z / std::sqrt(drift)));
}

std::string_view trend_words(double chance) {
  if (chance < 0.0001) return "grows";
  if (chance < 0.001) return "likely grows";
  return chance < 0.01 ? "may grow" : "";
}

}  // namespace holdfast::cli
