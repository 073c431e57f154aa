// Does a series of reports grow, and how sure is that?
// Why so strict: thousands of classes are looked at at once, and of those that do nothing some look as if they grew. A heap breathes:
// caches fill, loads come and go.
// Shape:  a series grows when all of this holds:
//           - there are least_points(): with fewer the test could not decide, however steadily the series rose;
//           - p * tests < kTrendLevel (Bonferroni), one-sided, of Mann and Kendall (common/monotone_trend.h), with the drift of
//             neighbours taken out unless nearly every pair rises: so, were the values of a series independent of each other, the
//             chance that any class is named without cause would be below one in a hundred. Of classes that wander without aim
//             (random walks) and have few points, 2 to 3 in a hundred pass all the same;
//           - median slope * window >= `least_rise`;
//           - each quarter has a higher median than the one before, by a tenth of the whole rise or more: neither a step
//             nor a cache that is full passes;
//           - it has not fallen again at the end by more than kFallenShare of its rise: neither does a load that goes down.
//         These are the rules of common/triggers/growing_classes.h, for series that are short and looked at once. O(points^2).
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace holdfast::cli {

inline constexpr double kTrendLevel = 0.01;
inline constexpr std::size_t kLeastPoints = 8;  // two a quarter, and what the drift needs
inline constexpr double kFallenShare = 0.3;

enum class Course : std::uint8_t {
  kTooFew,
  kGrows,
  kRises,      // as it would by chance, or by too little
  kFlattens,   // in steps, or no longer
  kFellAgain,  // as a load does
  kSteady,
  kFalls,
};

struct Growth {
  Course course = Course::kTooFew;
  double chance = 1;         // of such a rise without a trend, for this series alone
  double chance_of_any = 1;  // that one of all the series looked at would show it
  double per_hour = 0;       // median slope
};

// Points that a test needs when so many series are looked at.
std::size_t least_points(std::size_t tests);
// `hours` rise strictly; at most kMaxTrendSamples.
Growth judge_growth(std::span<const double> hours, std::span<const double> values,
                    std::size_t tests, double least_rise);

std::string_view word(Course course);    // "grows", "too_few_reports", ...
std::string_view phrase(Course course);  // "grows", "rises, not sure", ...; empty: nothing to say

}  // namespace holdfast::cli
