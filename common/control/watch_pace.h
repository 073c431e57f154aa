// How often a watcher gets a histogram, so that watching stays cheap for the application.
// Shape:  a pure function of what the watcher wants and of what the last histogram cost. Nothing wanted: at most every kOwnPaceNs, and
//         so seldom that it costs the application at most 1 %. An interval by name: never below kLeastIntervalNs, and stretched only
//         where it would cost more than 10 %: who names one has decided to pay more than the default.
// Zone:   worker.   Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

namespace holdfast::control {

inline constexpr std::uint64_t kOwnPaceNs = 2'000'000'000;
inline constexpr std::uint64_t kLeastIntervalNs = 100'000'000;
inline constexpr std::uint64_t kOwnShare = 100;   // 1 % of the time
inline constexpr std::uint64_t kNamedShare = 10;  // 10 %
// A histogram that costs more than this is not waited for any longer on its account.
inline constexpr std::uint64_t kMostCostNs = 60'000'000'000;

constexpr std::uint64_t watch_interval_ns(std::uint32_t wanted_ms,
                                          std::uint64_t last_cost_ns) noexcept {
  const std::uint64_t cost_ns = std::min(last_cost_ns, kMostCostNs);
  if (wanted_ms == 0) return std::max(kOwnPaceNs, cost_ns * kOwnShare);
  const std::uint64_t wanted_ns = std::uint64_t{wanted_ms} * 1'000'000;
  return std::max({wanted_ns, kLeastIntervalNs, cost_ns * kNamedShare});
}

}  // namespace holdfast::control
