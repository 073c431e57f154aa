// The search for accumulation points: where the bytes of a large object spread.
// Why not only "the largest child below 0.7" (MAT): a map's bytes fall off at its table whatever it holds, and a list's never do.
//      So children are weighed class by class, and connected objects of one class as one.
// Shape:  a work list of objects that retain at least the threshold T. At each, with R its structure:
//           few large children that have most of their class's bytes     -> go on there, unless they are parts of one container:
//                                                                            they refer to each other, or hang below several of R
//           children of one class that have T together, else             -> a group, held by this object
//           R itself has many objects and the rest is T                  -> R is the group, held by what is above
//           R's own shallow size is T                                    -> a large single object
//           nothing of these, but a lot of the heap                      -> spread over many classes: named, not accused
//         Bytes that a finding takes or that the search follows are not looked at again: findings are disjoint.
//         Work list: 4 B for each of at most held / T objects.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/suspect_levels.h"

namespace holdfast::analysis {

enum class FindingKind : std::uint8_t {
  kGroup,
  kStructure,
  kSingle,
  kSpread,
  kUnderNobody,
  kPlace  // suspect_places.h
};

struct SuspectFinding {
  FindingKind kind = FindingKind::kGroup;
  GroupStart start;  // kGroup, kStructure, kUnderNobody, kPlace: where the levels begin
  std::uint32_t holder = kRootPosition;  // position of the accumulation point; kRootPosition: none
  std::uint64_t bytes = 0;  // retained by what is found, without what other findings have
  std::uint64_t largest_child_bytes = 0;  // of the group's members: how steeply the size falls
  ObjectId variable;                      // kPlace: the ThreadLocal; invalid for a static field
  bool of_threads = false;                // kPlace: each part is a thread's
};

struct SearchLimits {
  std::uint64_t threshold_bytes = 1;
  std::uint64_t spread_bytes = UINT64_MAX;  // a spread object must retain as much to be named
};

inline constexpr std::size_t kMaxFindings =
    64;  // disjoint and each at least the threshold: 20 at 5 %

struct SuspectFindings {
  SuspectFinding item[kMaxFindings];
  std::size_t count = 0;
};

// Adds to what is in `found`.
Result<void> search_suspects(const Snapshot& snapshot, const Dominators& dominators,
                             const SearchLimits& limits, ClassSums& sums, SuspectFindings& found,
                             Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
