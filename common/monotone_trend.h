// Does a series rise, and how fast? The test of Mann and Kendall, and the slope of Theil and Sen.
// Why these two: they ask for no distribution, and one collection's worth of garbage or one outlier hardly moves them.
// Shape:  n samples in order of time, n <= kMaxTrendSamples. S = sum over i < j of sign(x[j] - x[i]).
//         Var S = (n(n-1)(2n+5) - sum over groups of t equal values of t(t-1)(2t+5)) / 18;  z = (S -+ 1) / sqrt(Var S), with the
//         correction for continuity, which for P(S or more) is S - 1 whatever its sign. p_rising = P(S or more | no trend),
//         one-sided: exact for n <= kMaxExactSamples without equal values, else from the normal approximation, which is far too
//         large where nearly every pair rises. Slope: the median of (x[j] - x[i]) / (t[j] - t[i]).
//         tau = S / (n(n-1)/2). O(n^2), the exact p O(n^3) with 4,000 additions at most; 1 KB of stack, 16 KB for the slope.
//         The exact p counts orders in doubles: whole numbers below 2^53 up to 18 samples, 1e-14 of p beyond.
//         Samples that hang together (a slow drift) look more like a trend than they are. drift_factor() says by how much the
//         variance of S is too small then: (1 + f) / (1 - f), with f the correlation of neighbors among the ranks of what
//         the slope leaves over, its bias in short series taken out: f = (n r + 2) / (n - 4). p_above(z / sqrt(factor)) is p then.
// Zone:   worker, offline.
// Errors: none; fewer than two samples, or more than kMaxTrendSamples, have no trend: p_rising 1, slope 0.
// Source: H. B. Mann, Nonparametric tests against trend, Econometrica 13 (1945); M. G. Kendall, Rank Correlation Methods (1970),
//         chapters 4 (ties) and 5 (exact distribution); P. K. Sen, Estimates of the regression coefficient based on Kendall's
//         tau, JASA 63 (1968); S. Yue, C. Wang, The Mann-Kendall test modified by effective sample size to detect trend in
//         serially correlated hydrological series, Water Resources Management 18 (2004); for the bias, M. Kendall, Note on bias
//         in the estimation of autocorrelation, Biometrika 41 (1954).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast {

inline constexpr std::size_t kMaxTrendSamples = 64;
inline constexpr std::size_t kMaxExactSamples = 20;  // 20! still is a whole number as a double

struct MonotoneTrend {
  std::int64_t s = 0;
  double z = 0;
  double p_rising = 1;
  double tau = 0;
};

MonotoneTrend monotone_trend(std::span<const double> values) noexcept;

// Per unit of `times`, which rise strictly; as many as values.
double median_slope(std::span<const double> times, std::span<const double> values) noexcept;

// From 1: neighbors have nothing to do with each other.
double drift_factor(std::span<const double> times, std::span<const double> values,
                    double slope) noexcept;

// Of the normal distribution.
double p_above(double z) noexcept;

}  // namespace holdfast
