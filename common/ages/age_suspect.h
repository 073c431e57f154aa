// A class whose objects pile up, and what speaks for it: found while the application runs, without a dump of its graph.
// Shape:  plain values; what is of samples is an estimate's ground, what is of looks was counted among what is reached.
// Zone:   any.   Errors: none.
#pragma once

#include <cstdint>

#include "common/class_histogram.h"

namespace holdfast {

inline constexpr std::size_t kMostAgeSuspects = 16;

struct AgeSuspect {
  char name[kMaxHistogramName] = "";
  std::uint64_t instances = 0;  // reached, at the last look
  std::uint64_t shallow_bytes = 0;
  std::uint64_t more_instances = 0;  // than at the first look
  std::uint64_t more_bytes = 0;
  std::uint64_t collections = 0;  // between the first look and the last
  std::uint64_t window_ms = 0;
  std::uint32_t looks = 0;
  std::uint32_t old_samples = 0;  // sampled objects that have survived kOldAge collections or more
  std::uint32_t ages = 0;         // in how many collections these were born, at least
  std::uint32_t old_percent = 0;  // of its sampled objects that live, by number
  std::uint32_t confidence_percent = 0;
};

// What is known at one moment.
struct AgeVerdict {
  bool on = false;                // ages are followed
  std::uint64_t collections = 0;  // since that began
  std::uint64_t utc_ms = 0;       // of the last look; 0: none yet
  std::uint32_t candidates = 0;
  std::uint32_t looks = 0;
  std::uint32_t count = 0;
  AgeSuspect suspects[kMostAgeSuspects];
};

}  // namespace holdfast
