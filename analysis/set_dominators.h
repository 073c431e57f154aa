// Who holds a set of objects: for each member the nearest dominator whose class is not to be skipped, grouped by class.
// Why skipping: a million strings are dominated by HashMap$Node and Object[]; with "java.*" skipped the question is answered by
//      the application's own class.
// Shape:  one pass in dominator-tree preorder: above[p] is p itself or, where its class is skipped, above[] of its dominator, which
//         stands before it. O(held + classes). 56 B a class; scratch 5 B a held object + n / 8 B, 33 B a class.
//         Class objects count by the class they stand for. Every held member is in one row:
//           sum of members == held members; sum of member_shallow_bytes == their shallow bytes.
//         Retained sizes are those of sets (minimum): members, and dominators, that lie below one of their own row count once.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: Eclipse MAT's help (immediate dominators with a skip pattern).
#pragma once

#include "analysis/object_sets.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct SetDominatorRow {
  ClassId
      class_id;  // of the dominators; invalid for the virtual root and for dominators of unknown class
  bool root = false;  // no dominator but skipped ones: dominators and their bytes are 0
  std::uint64_t members = 0;
  std::uint64_t member_shallow_bytes = 0;
  std::uint64_t member_retained_bytes = 0;
  std::uint64_t dominators = 0;
  std::uint64_t dominator_shallow_bytes = 0;
  std::uint64_t dominator_retained_bytes = 0;
};
static_assert(sizeof(SetDominatorRow) == 56);

// By falling member_retained_bytes. `skip`: name patterns; none: the immediate dominators themselves.
Result<std::span<const SetDominatorRow>> set_dominators(
    const Snapshot& snapshot, const Dominators& dominators, const ObjectSet& set,
    std::span<const std::string_view> skip, Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
