// For tests: waits for what other threads bring about.
// Zone:   tests.   Errors: false when it has not come true in time.
#pragma once

#include "platforms/clock.h"

namespace holdfast {

template <class Condition>
bool await(Condition condition, std::uint64_t for_ns = 20'000'000'000) {
  constexpr std::uint64_t kLookNs = 1'000'000;
  const std::uint64_t until = platforms::monotonic_ns() + for_ns;
  while (!condition() && platforms::monotonic_ns() < until) platforms::sleep_ns(kLookNs);
  return condition();
}

}  // namespace holdfast
