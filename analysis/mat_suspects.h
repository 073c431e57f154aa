// Leak suspects by Eclipse MAT's rule, for people who compare with it; suspects.h is what reports use.
// Shape:  single objects below the virtual root that retain more than `share_percent` of the held bytes; then classes whose other
//         objects below the virtual root retain more than that together. All are disjoint, so there are at most 100 / share.
//         Accumulation point of a single object: the first on the way down (always to the largest child) whose largest child
//         retains less than `drop_tenths` tenths of it, or that has no child. Classes have none.
//         32 B a class of scratch; O(children of the virtual root + children on the ways down).
//         As in MAT, class objects are objects of their own class (java.lang.Class).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: MAT's definitions, rule 14 (leak suspects).
#pragma once

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct MatLimits {
  std::uint32_t share_percent = 20;  // 1 .. 100
  std::uint32_t drop_tenths = 7;
};

struct MatSuspect {
  ObjectId object;   // invalid: a group of objects of one class
  ClassId class_id;  // invalid: objects of unknown class
  std::uint64_t objects = 1;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  ObjectId accumulation_point;  // of a single object
  std::uint64_t accumulation_retained_bytes = 0;
  std::uint32_t accumulation_depth = 0;  // steps down to it; 0: the object itself
};

// Single objects first, then groups, each by falling retained size.
Result<std::span<const MatSuspect>> mat_suspects(const Snapshot& snapshot,
                                                 const Dominators& dominators,
                                                 const MatLimits& limits, Arena& arena,
                                                 const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
