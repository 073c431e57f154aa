// What another thread does in its own time, waited for.
// Zone:   tests.   Errors: false when it has not come by then.
#pragma once

#include <cstdint>

#include "platforms/clock.h"

namespace holdfast::platforms {

// Long, for a machine that does other things as well.
inline constexpr std::uint64_t kComesTrueWithinNs = 20'000'000'000;

template <class Condition>
bool comes_true(Condition condition, std::uint64_t within_ns = kComesTrueWithinNs) {
  constexpr std::uint64_t kLookNs = 1'000'000;
  const std::uint64_t until = monotonic_ns() + within_ns;
  while (!condition() && monotonic_ns() < until) sleep_ns(kLookNs);
  return condition();
}

}  // namespace holdfast::platforms
