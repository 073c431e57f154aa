// What a dump takes along of ages beside those of all objects: of samples, and the last verdict.
// Shape:  plain values; classes lie in the arena of whoever took them, names in the book, which never changes what it holds.
// Zone:   capture (made), worker and child (read).   Errors: none.
#pragma once

#include "common/ages/age_suspect.h"
#include "common/ages/sampled_ages.h"

namespace holdfast {

struct DumpAges {
  AgeVerdict verdict;
  bool sampled_told = false;  // false: there are no samples, or there was no room for their sums
  SampledAges sampled;
  StringTable names;
  std::uint64_t sample_interval_bytes = 0;
};

}  // namespace holdfast
