#include "common/monotone_trend.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace holdfast;

namespace {

std::int64_t slow_s(const std::vector<double>& x) {
  std::int64_t s = 0;
  for (std::size_t j = 0; j < x.size(); ++j)
    for (std::size_t i = 0; i < j; ++i) s += x[j] > x[i] ? 1 : x[j] < x[i] ? -1 : 0;
  return s;
}

// The share of all orders of the same values whose S is as large or larger.
double slow_p(std::vector<double> x) {
  const std::int64_t s = slow_s(x);
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), 0);
  double all = 0;
  double favorable = 0;
  do {
    std::vector<double> turned;
    turned.reserve(order.size());
    for (const std::size_t i : order) turned.push_back(x[i]);
    ++all;
    favorable += slow_s(turned) >= s ? 1 : 0;
  } while (std::next_permutation(order.begin(), order.end()));
  return favorable / all;
}

// Some order of 1 .. n whose S is `s`.
std::vector<double> series_with(std::size_t n, std::int64_t s) {
  std::vector<double> x(n);
  std::iota(x.begin(), x.end(), 1.0);
  for (std::size_t pass = 0; pass < n; ++pass)
    for (std::size_t i = 0; i + 1 < n && slow_s(x) > s; ++i)
      if (x[i] < x[i + 1]) std::swap(x[i], x[i + 1]);
  return x;
}

}  // namespace

TEST_CASE("probabilities as the tables of Kendall have them") {
  struct Row {
    std::size_t n;
    std::int64_t s;
    double p;
  };
  // M. G. Kendall, Rank Correlation Methods, appendix table 1.
  const Row rows[] = {{4, 0, 0.625},    {4, 4, 0.167},    {4, 6, 0.042},     {5, 2, 0.408},
                      {5, 8, 0.042},    {5, 10, 0.0083},  {8, 10, 0.138},    {8, 16, 0.031},
                      {8, 20, 0.0071},  {8, 24, 0.00087}, {8, 28, 0.000025}, {9, 20, 0.022},
                      {10, 23, 0.023},  {10, 27, 0.0083}, {6, 15, 0.0014},   {7, 21, 0.00020},
                      {10, 45, 2.76e-7}};
  for (const Row& row : rows) {
    CAPTURE(row.n);
    CAPTURE(row.s);
    const std::vector<double> x = series_with(row.n, row.s);
    REQUIRE(slow_s(x) == row.s);
    const MonotoneTrend trend = monotone_trend(x);
    CHECK(trend.s == row.s);
    CHECK(trend.p_rising == doctest::Approx(row.p).epsilon(0.05));
  }
}

TEST_CASE("exactly what all orders of few values say") {
  for (std::size_t n = 2; n <= 6; ++n) {
    std::vector<double> x(n);
    std::iota(x.begin(), x.end(), 1.0);
    do {
      CHECK(monotone_trend(x).p_rising == doctest::Approx(slow_p(x)).epsilon(1e-9));
    } while (std::next_permutation(x.begin(), x.end()) && x[0] < 3);
  }
  std::mt19937 random(11);
  for (std::size_t n = 7; n <= 8; ++n)
    for (int round = 0; round < 4; ++round) {
      std::vector<double> x(n);
      std::iota(x.begin(), x.end(), 1.0);
      std::shuffle(x.begin(), x.end(), random);
      CHECK(monotone_trend(x).p_rising == doctest::Approx(slow_p(x)).epsilon(1e-9));
    }
}

TEST_CASE("exact up to 20 values: one more that rises makes a trend surer") {
  double orders = 1;
  double last = 1;
  for (std::size_t n = 2; n <= kMaxExactSamples; ++n) {
    CAPTURE(n);
    const auto count = static_cast<double>(n);
    const auto pairs = static_cast<std::int64_t>(n * (n - 1) / 2);
    const auto p = [&](std::int64_t s) { return monotone_trend(series_with(n, s)).p_rising; };
    orders *= count;
    // One order has no pair that falls, n - 1 have one, and (n - 2)(n + 1) / 2 have two.
    CHECK(p(pairs) == doctest::Approx(1 / orders).epsilon(1e-12));
    CHECK(p(pairs - 2) == doctest::Approx(count / orders).epsilon(1e-12));
    if (n > 3)
      CHECK(p(pairs - 4) ==
            doctest::Approx((count + (count - 2) * (count + 1) / 2) / orders).epsilon(1e-12));
    CHECK(p(pairs) <= last / 2);
    last = p(pairs);
    for (std::int64_t s = -pairs; s <= pairs; s += 2)
      CHECK(p(s) + (s > -pairs ? p(2 - s) : 0) == doctest::Approx(1).epsilon(1e-12));
  }
  // In the middle the normal distribution is near.
  const double variance = 20.0 * 19 * 45 / 18;
  CHECK(monotone_trend(series_with(20, 50)).p_rising ==
        doctest::Approx(p_above(49 / std::sqrt(variance))).epsilon(0.02));
}

TEST_CASE("with equal values the approximation stays near what all orders say") {
  std::mt19937 random(12);
  double worst = 0;
  for (int round = 0; round < 24; ++round) {
    std::vector<double> x = {1, 2, 3, 3, 4, 5, 6, 7};
    std::shuffle(x.begin(), x.end(), random);
    worst = std::max(worst, std::abs(monotone_trend(x).p_rising - slow_p(x)));
  }
  MESSAGE("with one pair of equal values of eight, p is off by " << worst << " at most");
  CHECK(worst < 0.05);
}

TEST_CASE("the variance of Kendall, with groups of equal values") {
  // n = 12, groups of 2 and 3: (12*11*29 - 2*1*9 - 3*2*11) / 18.
  const std::vector<double> x = {1, 2, 2, 3, 4, 5, 5, 5, 6, 7, 8, 9};
  const MonotoneTrend trend = monotone_trend(x);
  CHECK(trend.s == 66 - 1 - 3);
  CHECK(trend.z == doctest::Approx((62 - 1) / std::sqrt((3828.0 - 18 - 66) / 18)));
  // 32 that rise: S is all pairs, Var S = 32*31*69/18.
  std::vector<double> rising(32);
  std::iota(rising.begin(), rising.end(), 0.0);
  const MonotoneTrend steep = monotone_trend(rising);
  CHECK(steep.s == 496);
  CHECK(steep.z == doctest::Approx(495 / std::sqrt(32.0 * 31 * 69 / 18)));
  CHECK(steep.p_rising < 1e-14);
  std::reverse(rising.begin(), rising.end());
  CHECK(monotone_trend(rising).s == -496);
  CHECK(monotone_trend(rising).p_rising > 0.999999);
}

TEST_CASE("p is uniform where there is no trend") {
  std::mt19937 random(13);
  std::normal_distribution<double> noise;
  int below_5 = 0;
  int below_1 = 0;
  constexpr int kSeries = 20'000;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> x(32);
    for (double& value : x) value = noise(random);
    const double p = monotone_trend(x).p_rising;
    below_5 += p < 0.05 ? 1 : 0;
    below_1 += p < 0.01 ? 1 : 0;
  }
  CHECK(std::abs(below_5 - kSeries * 0.05) < 150);  // three standard deviations: 92
  CHECK(std::abs(below_1 - kSeries * 0.01) < 60);
}

TEST_CASE("the median slope is the slope, whatever one outlier says") {
  const std::vector<double> times = {0, 1, 2, 3, 4};
  CHECK(median_slope(times, std::vector<double>{2, 4, 6, 8, 10}) == 2);
  CHECK(median_slope(times, std::vector<double>{2, 4, 6, 8, 100}) == 2);
  CHECK(median_slope(times, std::vector<double>{5, 5, 5, 5, 5}) == 0);
  CHECK(median_slope(std::vector<double>{0, 10, 30}, std::vector<double>{0, 10, 50}) ==
        doctest::Approx(50.0 / 30));
  CHECK(median_slope(std::vector<double>{0, 10, 30, 31}, std::vector<double>{0, 10, 50, 20}) ==
        doctest::Approx((20.0 / 31 + 1.0) / 2));
}

TEST_CASE("what drifts is told from what does not") {
  std::mt19937 random(14);
  std::normal_distribution<double> noise;
  std::vector<double> times(32);
  std::iota(times.begin(), times.end(), 0.0);
  double free_sum = 0;
  double bound_sum = 0;
  constexpr int kSeries = 400;
  for (int i = 0; i < kSeries; ++i) {
    std::vector<double> free(32);
    std::vector<double> bound(32);
    double now = 0;
    for (std::size_t t = 0; t < 32; ++t) {
      free[t] = 3.0 * static_cast<double>(t) + noise(random);
      now = 0.8 * now + noise(random);
      bound[t] = now;
    }
    free_sum += drift_factor(times, free, median_slope(times, free));
    bound_sum += drift_factor(times, bound, median_slope(times, bound));
  }
  CHECK(free_sum / kSeries < 1.35);  // 1, and what cutting at 1 and the correction for bias add
  CHECK(bound_sum / kSeries > 4);    // (1 + 0.8) / (1 - 0.8) = 9 in the long run
  CHECK(drift_factor(times, times, 1) == doctest::Approx(1 + 2 * (2.0 / 28) / (1 - 2.0 / 28)));
  CHECK(drift_factor({}, {}, 0) == 1);
}

TEST_CASE("the tail of the normal distribution") {
  CHECK(p_above(0) == 0.5);
  CHECK(p_above(1.6448536) == doctest::Approx(0.05));
  CHECK(p_above(3.0902323) == doctest::Approx(0.001));
  CHECK(p_above(-1.6448536) == doctest::Approx(0.95));
}

TEST_CASE("too few or too many samples have no trend") {
  CHECK(monotone_trend({}).p_rising == 1);
  CHECK(monotone_trend(std::vector<double>{3}).p_rising == 1);
  CHECK(monotone_trend(std::vector<double>(20, 7.0)).p_rising == 1);
  const std::vector<double> many(kMaxTrendSamples + 1, 1.0);
  CHECK(monotone_trend(many).p_rising == 1);
  CHECK(median_slope(many, many) == 0);
  CHECK(median_slope(std::vector<double>{1}, std::vector<double>{1}) == 0);
  std::vector<double> most(kMaxTrendSamples);
  std::iota(most.begin(), most.end(), 0.0);
  CHECK(median_slope(most, most) == 1);
}
