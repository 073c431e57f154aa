#include "common/accounts/sampling_pace.h"

#include <algorithm>

#include "common/accounts/mixed_counter.h"
#include "common/accounts/sample_weight.h"

namespace holdfast {

void SamplingPace::open(std::uint64_t interval_bytes, bool steady, std::uint64_t seed) noexcept {
  interval_ = interval_bytes;
  steady_ = steady || interval_bytes == 0;
  draws_.store(seed, std::memory_order_relaxed);
  raises_.store(0, std::memory_order_relaxed);
  spent_ns_.store(0, std::memory_order_relaxed);
  window_began_ns_.store(0, std::memory_order_relaxed);
}

double SamplingPace::chance(std::uint64_t shallow_bytes) const noexcept {
  return sample_chance(shallow_bytes, interval_);
}

bool SamplingPace::keeps(std::uint64_t shallow_bytes, double told_with,
                         std::uint32_t raises) noexcept {
  const double wanted = sample_chance(shallow_bytes, interval_bytes(raises));
  return wanted >= told_with || draw() * told_with < wanted;
}

// Uniform in [0, 1).
double SamplingPace::draw() noexcept {
  constexpr double kUnit = 0x1.0p-53;
  const std::uint64_t drawn = MixedCounter::mixed(
      draws_.fetch_add(MixedCounter::kStep, std::memory_order_relaxed) + MixedCounter::kStep);
  return static_cast<double>(drawn >> 11u) * kUnit;
}

void SamplingPace::took(std::uint64_t began_ns, std::uint64_t ended_ns) noexcept {
  if (steady_) return;
  spent_ns_.fetch_add(std::min(ended_ns - began_ns, kMostNs), std::memory_order_relaxed);
  std::uint64_t window = window_began_ns_.load(std::memory_order_relaxed);
  if (window != 0 && (ended_ns <= window || ended_ns - window < kWindowNs)) return;
  if (!window_began_ns_.compare_exchange_strong(window, ended_ns, std::memory_order_relaxed))
    return;
  if (window != 0) judge(spent_ns_.exchange(0, std::memory_order_relaxed), ended_ns - window);
}

void SamplingPace::judge(std::uint64_t spent_ns, std::uint64_t elapsed_ns) noexcept {
  const std::uint64_t allowed = elapsed_ns / kShare;
  const std::uint32_t before = raises();
  std::uint32_t now = before;
  for (; spent_ns > allowed && now < kMostRaises; spent_ns /= 2) ++now;
  if (now == before && now > 0 && spent_ns < allowed / 4) --now;
  raises_.store(now, std::memory_order_relaxed);
}

}  // namespace holdfast
