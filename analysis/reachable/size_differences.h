// How many objects are how much smaller by retained than by reachable size: the ten groups of [Thesis]'s table 5.3.
// Why: where both sizes are alike, the cheap one is enough; objects far apart reach what others hold as well, and a leak behind them is
//      seen by reachable size alone.
// Shape:  held objects only. Group g has differences of at least limit g - 1 and less than limit g; the first has those of less than
//         1 KB, the last the rest. 1 KB = 1,024 bytes, and the fourth limit is 1,000 KB, as there. Retained sizes count class references,
//         reachable ones do not: where that makes the retained size larger, the difference is 0.
//         The groups together have dominators.held_objects. O(n), no memory.
// Zone:   worker, offline, child.   Errors: kCancelled.
// Source: [Thesis], section 5.3.1, table 5.3.
#pragma once

#include <array>

#include "analysis/reachable/reachable_size.h"
#include "analysis/results.h"

namespace holdfast::analysis {

inline constexpr std::size_t kSizeDifferenceGroups = kDifferenceLimits.size();
inline constexpr std::array<const char*, kSizeDifferenceGroups> kSizeDifferenceNames = {
    "to 1 KB",     "1 to 10 KB",  "10 to 100 KB", "100 to 1,000 KB", "1 to 10 MB",
    "10 to 25 MB", "25 to 50 MB", "50 to 75 MB",  "75 to 100 MB",    "100 MB and more"};

constexpr std::size_t size_difference_group(std::uint64_t reachable_bytes,
                                            std::uint64_t retained_bytes) noexcept {
  const std::uint64_t difference =
      reachable_bytes > retained_bytes ? reachable_bytes - retained_bytes : 0;
  std::size_t group = 0;
  while (group + 1 < kSizeDifferenceGroups && difference >= kDifferenceLimits[group]) ++group;
  return group;
}

struct SizeDifferences {
  std::array<std::uint64_t, kSizeDifferenceGroups> objects{};
  std::uint64_t estimated_objects = 0;  // of them, those whose reachable size is an estimate
};

Result<SizeDifferences> size_differences(const Dominators& dominators, const ReachableSizes& sizes,
                                         const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
