// Which of the runtime's samples are kept: drawn so that an object of s bytes is in the end taken with 1 - exp(-s/I), I = the interval asked for.
// Why: the account book reckons with that probability (common/accounts/account_book.h), and the runtime's own interval cannot be set. A
//      sample that came with probability q is kept with p/q.
// Shape:  p <= q has to hold, so I is not below least_interval_bytes(); where a single tick was rarer all the same, it is kept.
//         Draws are the mixed values of one counter: no state per thread, no lock.
// Zone:   event, any number of threads.   Errors: none.
// Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014 (the mixing of a counter).
#pragma once

#include <atomic>
#include <cmath>
#include <cstdint>

#include "clrprofiler/accounts/allocation_event.h"

namespace holdfast::clr {

class SampleThinning {
 public:
  // A tick comes with the first refill of an allocation context after 100 KB: 106 KB apart for small objects, more for those of tens of KB.
  static constexpr std::uint64_t kLeastTickInterval = std::uint64_t{128} << 10;
  static std::uint64_t least_interval_bytes(bool sampled_by_runtime) noexcept {
    return sampled_by_runtime ? kSampledEveryBytes : kLeastTickInterval;
  }

  // Before the first event.
  void set(std::uint64_t interval_bytes, std::uint64_t seed) noexcept {
    interval_ = static_cast<double>(interval_bytes);
    draws_.store(seed, std::memory_order_relaxed);
  }

  bool keeps(const Allocation& told) noexcept {
    const double wanted = -std::expm1(-static_cast<double>(told.bytes) / interval_);
    return draw() * told.probability < wanted;
  }

 private:
  // Uniform in [0, 1).
  double draw() noexcept {
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;
    std::uint64_t z = draws_.fetch_add(kStep, std::memory_order_relaxed);
    z = (z ^ (z >> 30u)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27u)) * 0x94D049BB133111EBu;
    z ^= z >> 31u;
    constexpr double kUnit = 0x1.0p-53;
    return static_cast<double>(z >> 11u) * kUnit;
  }

  double interval_ = 1;
  std::atomic<std::uint64_t> draws_{0};
};

}  // namespace holdfast::clr
