// What one sampled object stands for.
// Shape:  an object of s bytes is sampled at a mean interval of I bytes with p = 1 - exp(-s/I), because the gaps between two samples are
//         exponential; kept with probability q it is one of those that were, it was included with p*q. With w = 1 / (p*q) it stands for
//         w objects and w*s bytes, and adds w*(w-1) and s^2*w*(w-1) to the variances, which is (1-pq)/(pq)^2. I = 0: p = 1.
// Zone:   event, capture.   Errors: none; s = 0 has no weight and must not be asked for unless I = 0.
// Source: Horvitz, Thompson: A Generalization of Sampling Without Replacement From a Finite Universe, 1952.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "common/accounts/account_figures.h"

namespace holdfast {

inline double sample_chance(std::uint64_t shallow_bytes, std::uint64_t interval_bytes) noexcept {
  if (interval_bytes == 0) return 1;
  // expm1: 1 - exp(-x) of a small x would keep half of its digits.
  return -std::expm1(-static_cast<double>(shallow_bytes) / static_cast<double>(interval_bytes));
}
inline double sample_weight(std::uint64_t shallow_bytes, std::uint64_t interval_bytes) noexcept {
  return 1 / sample_chance(shallow_bytes, interval_bytes);
}

// An AccountAmount in the making: whole numbers would be biased by their rounding.
struct AmountSum {
  double objects = 0;
  double bytes = 0;
  double objects_variance = 0;
  double bytes_variance = 0;

  void add_sample(double weight, std::uint64_t shallow_bytes) noexcept {
    const auto bytes_each = static_cast<double>(shallow_bytes);
    const double variance = weight * (weight - 1);
    objects += weight;
    bytes += weight * bytes_each;
    objects_variance += variance;
    bytes_variance += variance * bytes_each * bytes_each;
  }
  void add_counted(std::uint64_t count, std::uint64_t shallow_bytes) noexcept {
    objects += static_cast<double>(count);
    bytes += static_cast<double>(shallow_bytes);
  }
  // Since `earlier`; what was counted anew may have become less.
  AmountSum since(const AmountSum& earlier) const noexcept {
    return {std::max(0.0, objects - earlier.objects), std::max(0.0, bytes - earlier.bytes),
            std::max(0.0, objects_variance - earlier.objects_variance),
            std::max(0.0, bytes_variance - earlier.bytes_variance)};
  }
  AccountAmount rounded() const noexcept {
    return {static_cast<std::uint64_t>(std::llround(objects)),
            static_cast<std::uint64_t>(std::llround(bytes)), objects_variance, bytes_variance};
  }
};

}  // namespace holdfast
