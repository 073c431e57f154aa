#include "common/ages/loitering.h"

#include <algorithm>

#include "common/ages/sampled_ages.h"

namespace holdfast {

namespace {

// Without libm, which a frozen dump's child must not reach.
double power(double base, std::uint32_t exponent) noexcept {
  double result = 1;
  for (; exponent != 0; exponent >>= 1u, base *= base)
    if ((exponent & 1u) != 0) result *= base;
  return result;
}

std::uint64_t less(std::uint64_t from, std::uint64_t what) noexcept {
  return from - std::min(from, what);
}

// By one clock.
double chance_of(std::uint64_t active, std::uint64_t silent, std::uint64_t longest_gap,
                 std::uint32_t sightings) noexcept {
  if (sightings < 2 || silent / kGaps <= longest_gap) return 1;
  return power(static_cast<double>(active) / static_cast<double>(active + silent), sightings - 1);
}

}  // namespace

Silence silence_of(const ClassLife& life, const LivesSpan& span, std::uint64_t now_ms) noexcept {
  Silence silence;
  if (life.samples == 0) return silence;
  silence.samples = less(span.samples, life.last.sample);
  silence.ms = less(now_ms, life.last.at_ms);
  const bool at_start = seen_at_start_alone(silence.ms, less(now_ms, span.began_ms));
  const std::uint32_t sightings = at_start ? life.samples : life.collections;
  silence.chance = std::max(
      chance_of(life.last.sample - life.first.sample, silence.samples, life.longest_gap.sample,
                sightings),
      chance_of(life.last.at_ms - life.first.at_ms, silence.ms, life.longest_gap.at_ms, sightings));
  return silence;
}

bool loiters(const LoiteringSigns& signs) noexcept {
  // Then all that live are old.
  if (signs.silent_collections < kOldAge) return false;
  const auto tests = static_cast<double>(std::max<std::uint64_t>(signs.classes, 1));
  if (signs.chance * tests >= kLoiteringLevel) return false;
  if (signs.old_bytes < least_loitering_bytes(signs.all_live_bytes)) return false;
  return !seen_at_start_alone(signs.silent_ms, signs.followed_ms) ||
         signs.old_bytes >= signs.all_live_bytes / kLeastShareSinceStart;
}

}  // namespace holdfast
