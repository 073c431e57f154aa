#include "common/accounts/sampling_pace.h"

#include <algorithm>

#include "common/accounts/mixed_counter.h"
#include "common/accounts/sample_weight.h"

namespace holdfast {

void SamplingPace::open(std::uint64_t interval_bytes, bool steady, std::uint64_t seed,
                        std::uint64_t purse_ns) noexcept {
  interval_ = interval_bytes;
  steady_ = steady || interval_bytes == 0;
  draws_.store(seed, std::memory_order_relaxed);
  raises_.store(0, std::memory_order_relaxed);
  spent_ns_.store(0, std::memory_order_relaxed);
  purse_ns_.store(purse_ns, std::memory_order_relaxed);
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

bool SamplingPace::is_over(std::uint64_t window_began_ns, std::uint64_t now_ns,
                           std::uint64_t spent_ns) noexcept {
  if (now_ns <= window_began_ns) return false;
  const std::uint64_t elapsed_ns = now_ns - window_began_ns;
  return elapsed_ns >= kWindowNs ||
         (spent_ns >= kWindowNs / kShare && elapsed_ns >= kLeastWindowNs);
}

void SamplingPace::took(std::uint64_t began_ns, std::uint64_t ended_ns) noexcept {
  if (steady_) return;
  const std::uint64_t took_ns = std::min(ended_ns - began_ns, kMostNs);
  const std::uint64_t spent_ns = spent_ns_.fetch_add(took_ns, std::memory_order_relaxed) + took_ns;
  std::uint64_t window = window_began_ns_.load(std::memory_order_relaxed);
  if (window != 0 && !is_over(window, ended_ns, spent_ns)) return;
  if (!window_began_ns_.compare_exchange_strong(window, ended_ns, std::memory_order_relaxed))
    return;
  if (window != 0) judge(spent_ns_.exchange(0, std::memory_order_relaxed), ended_ns - window);
}

void SamplingPace::judge(std::uint64_t spent_ns, std::uint64_t elapsed_ns) noexcept {
  const std::uint64_t share = elapsed_ns / kShare;
  const std::uint64_t purse = purse_ns_.load(std::memory_order_relaxed);
  const std::uint64_t allowed = share + std::min(purse, elapsed_ns / kPurseShare);
  const std::uint64_t beyond = spent_ns - std::min(spent_ns, share);
  purse_ns_.store(purse - std::min(purse, beyond), std::memory_order_relaxed);
  const std::uint32_t before = raises();
  std::uint32_t now = before;
  for (; spent_ns > allowed && now < kMostRaises; spent_ns /= 2) ++now;
  if (now == before && now > 0 && spent_ns < allowed / 5 * 2) --now;
  raises_.store(now, std::memory_order_relaxed);
}

}  // namespace holdfast
