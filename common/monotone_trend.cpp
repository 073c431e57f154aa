#include "common/monotone_trend.h"

#include <algorithm>
#include <cmath>

namespace holdfast {

namespace {

// Sum over groups of equal values of t(t-1)(2t+5); 0 when all differ.
double tie_sum(std::span<const double> values) noexcept {
  double sorted[kMaxTrendSamples];
  std::copy(values.begin(), values.end(), sorted);
  std::sort(sorted, sorted + values.size());
  double sum = 0;
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin + 1;
    while (end < values.size() && sorted[end] == sorted[begin]) ++end;
    const auto t = static_cast<double>(end - begin);
    sum += t * (t - 1) * (2 * t + 5);
    begin = end;
  }
  return sum;
}

// P(S >= s), s > 0, over all orders of n different values: counts[k] orders have k pairs that fall. With a new largest value,
// which falls before 0 .. size - 1, each count is a sum of `size` neighbors: a difference of two sums from the start.
double exact_tail(std::size_t n, std::int64_t s) noexcept {
  constexpr std::size_t kMostPairs = kMaxExactSamples * (kMaxExactSamples - 1) / 2;
  const auto pairs = static_cast<std::int64_t>(n * (n - 1) / 2);
  if (s > pairs) return 0;
  const auto most_falling = static_cast<std::size_t>(pairs - s) / 2;
  double counts[kMostPairs / 2 + 1] = {1};
  double orders = 1;
  for (std::size_t size = 2; size <= n; ++size) {
    for (std::size_t k = 1; k <= most_falling; ++k) counts[k] += counts[k - 1];
    for (std::size_t k = most_falling; k >= size; --k) counts[k] -= counts[k - size];
    orders *= static_cast<double>(size);
  }
  double favorable = 0;
  for (std::size_t falling = 0; falling <= most_falling; ++falling) favorable += counts[falling];
  return favorable / orders;
}

// As many orders have S as have -S, and S is odd or even as the number of pairs is.
double exact_p(std::size_t n, std::int64_t s) noexcept {
  return s > 0 ? exact_tail(n, s) : 1 - exact_tail(n, 2 - s);
}

// Ranks from 0; equal values share the mean of theirs.
void rank(std::span<const double> values, double* ranks) noexcept {
  for (std::size_t i = 0; i < values.size(); ++i) {
    double below = 0;
    double equal = -1;  // itself
    for (const double other : values) {
      below += other < values[i] ? 1 : 0;
      equal += other == values[i] ? 1 : 0;
    }
    ranks[i] = below + equal / 2;
  }
}

double correlation_of_neighbors(std::span<const double> ranks) noexcept {
  const double mean = static_cast<double>(ranks.size() - 1) / 2;
  double own = 0;
  double shared = 0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    own += (ranks[i] - mean) * (ranks[i] - mean);
    if (i != 0) shared += (ranks[i] - mean) * (ranks[i - 1] - mean);
  }
  return own > 0 ? shared / own : 0;
}

}  // namespace

double p_above(double z) noexcept { return std::erfc(z / std::sqrt(2.0)) / 2; }

double drift_factor(std::span<const double> times, std::span<const double> values,
                    double slope) noexcept {
  constexpr std::size_t kLeast = 8;     // below, the correlation of neighbors is a guess
  constexpr double kMostShared = 0.97;  // beyond, everything hangs together
  const std::size_t n = values.size();
  if (n < kLeast || n > kMaxTrendSamples || times.size() != n) return 1;
  double left_over[kMaxTrendSamples];
  double ranks[kMaxTrendSamples];
  for (std::size_t i = 0; i < n; ++i) left_over[i] = values[i] - slope * times[i];
  rank({left_over, n}, ranks);
  const auto count = static_cast<double>(n);
  const double shared = (count * correlation_of_neighbors({ranks, n}) + 2) / (count - 4);
  const double bounded = std::clamp(shared, 0.0, kMostShared);
  return (1 + bounded) / (1 - bounded);
}

MonotoneTrend monotone_trend(std::span<const double> values) noexcept {
  MonotoneTrend trend;
  if (values.size() < 2 || values.size() > kMaxTrendSamples) return trend;
  for (std::size_t j = 1; j < values.size(); ++j)
    for (std::size_t i = 0; i < j; ++i)
      trend.s += (values[j] > values[i] ? 1 : 0) - (values[j] < values[i] ? 1 : 0);
  const auto n = static_cast<double>(values.size());
  const double ties = tie_sum(values);
  const double variance = (n * (n - 1) * (2 * n + 5) - ties) / 18;
  if (variance <= 0) return trend;  // all are equal
  const auto s = static_cast<double>(trend.s);
  const double continuity = trend.s > 0 ? 1 : trend.s < 0 ? -1 : 0;
  trend.tau = s / (n * (n - 1) / 2);
  trend.z = (s - continuity) / std::sqrt(variance);
  trend.p_rising = ties == 0 && values.size() <= kMaxExactSamples
                       ? exact_p(values.size(), trend.s)
                       : p_above((s - 1) / std::sqrt(variance));
  return trend;
}

double median_slope(std::span<const double> times, std::span<const double> values) noexcept {
  const std::size_t n = values.size();
  if (n < 2 || n > kMaxTrendSamples || times.size() != n) return 0;
  double slopes[kMaxTrendSamples * (kMaxTrendSamples - 1) / 2];
  std::size_t count = 0;
  for (std::size_t j = 1; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      slopes[count++] = (values[j] - values[i]) / (times[j] - times[i]);
  double* const middle = slopes + count / 2;
  std::nth_element(slopes, middle, slopes + count);
  if (count % 2 != 0) return *middle;
  return (*middle + *std::max_element(slopes, middle)) / 2;
}

}  // namespace holdfast
