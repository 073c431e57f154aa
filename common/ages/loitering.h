// Has a class stopped being allocated, so that what is left of it only lies there?
// Why a test: a class of which nothing was sampled for a while may be rare, come in waves, or be drowned by another one.
// Shape:  k sightings between the first and the last of its samples; were it still allocated as before, all of them would lie before the
//         silence with a chance of (active / (active + silent))^(k - 1). Samples of one collection are one sighting: what comes at once counts
//         once. Reckoned by two clocks, samples of all classes and time, and the larger chance stands: by samples alone a burst of another
//         class is a silence of all others, by time alone a program that rests is. A silence no longer than kGaps times the longest one
//         before is none, by either clock: its chance is 1.
//         docs/decisions/016-loitering-classes.md has what each of these is for, in figures.
//         A class that was seen at the start alone has too few sightings for that; there each sample is one, and more of it has to be there.
//         O(1), O(log k) for the power.
// Zone:   worker, child, offline.
// Errors: none.
// Source: A. R. Solow: Inferring Extinction from Sighting Data, Ecology 74 (1993).
#pragma once

#include <cstdint>

#include "common/ages/class_lives.h"

namespace holdfast {

inline constexpr std::uint64_t kGaps = 2;
inline constexpr double kLoiteringLevel = 0.01;           // of all classes together
inline constexpr std::uint64_t kLeastShareOfLive = 1000;  // one in so many bytes
inline constexpr std::uint64_t kLeastShareSinceStart = 100;
inline constexpr std::uint64_t kMostStartMs = 30'000;
inline constexpr std::uint64_t kStartShare =
    4;  // of the time that is known, one in so many at most

// How long nothing was sampled of a class.
struct Silence {
  std::uint64_t samples = 0;  // of other classes meanwhile
  std::uint64_t ms = 0;
  double chance = 1;  // were it still allocated as before
};

Silence silence_of(const ClassLife& life, const LivesSpan& span, std::uint64_t now_ms) noexcept;

// `followed_ms`: from the first sample of any class until now.
constexpr bool seen_at_start_alone(std::uint64_t silent_ms, std::uint64_t followed_ms) noexcept {
  const std::uint64_t quarter = followed_ms / kStartShare;
  const std::uint64_t start_ms = quarter < kMostStartMs ? quarter : kMostStartMs;
  return silent_ms <= followed_ms && followed_ms - silent_ms <= start_ms;
}

// What is known of one class, and of all.
struct LoiteringSigns {
  std::uint64_t old_bytes = 0;
  std::uint64_t silent_collections = 0;
  std::uint64_t silent_ms = 0;
  double chance = 1;
  std::uint64_t all_live_bytes = 0;  // of samples that live
  std::uint64_t classes = 0;         // that have some
  std::uint64_t followed_ms = 0;
};

bool loiters(const LoiteringSigns& signs) noexcept;

// Classes with fewer old bytes do not loiter, whatever else is true of them.
constexpr std::uint64_t least_loitering_bytes(std::uint64_t all_live_bytes) noexcept {
  return all_live_bytes / kLeastShareOfLive + 1;
}

}  // namespace holdfast
