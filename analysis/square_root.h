// The square root of a variance, without libm: its sqrt may set errno, which a frozen dump's child must not reach.
// Shape:  a first guess from the exponent's half, then Newton's steps, which double the right digits each. 0 for what is not positive.
// Zone:   any.   Errors: none.
#pragma once

#include <bit>
#include <cstdint>

namespace holdfast::analysis {

inline double square_root(double x) noexcept {
  if (!(x > 0)) return 0;
  constexpr std::uint64_t kHalfBias = std::uint64_t{1023} << 51;
  constexpr int kSteps = 5;  // the guess is within 7 %: 2 digits, 4, 8, 16
  double root = std::bit_cast<double>((std::bit_cast<std::uint64_t>(x) >> 1) + kHalfBias);
  for (int i = 0; i < kSteps; ++i) root = (root + x / root) / 2;
  return root;
}

}  // namespace holdfast::analysis
