// Does a class grow, as far as the samples of a watch can tell?
// Why so strict: a screen shows twenty classes or more at once, and of twenty that do nothing one looks as if it grew at p < 0.05.
// Shape:  the test of Mann and Kendall on the bytes of at least kLeastTrendSamples samples, with the samples' drift taken
//         out (common/monotone_trend.h). Below 0.0001 "grows", below 0.001 "likely grows", below 0.01 "may grow".
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::cli {

inline constexpr std::size_t kLeastTrendSamples = 8;

// The probability of such a rise without any trend; 1 with too few samples.
double chance_of_rise(std::span<const std::uint64_t> bytes);
std::string_view trend_words(double chance);  // empty: no trend to speak of

}  // namespace holdfast::cli
