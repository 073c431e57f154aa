// Siblings below an accumulation point that lead to the same objects, so that none of them retains
// any: "a Buffer and a ResultList of one Server hold the same 2,000; clearing one frees nothing,
// clearing both all."
// How:    the accumulation point's other children in the dominator tree are the siblings. Those
//         whose subtrees refer to most of the group's members are tried in pairs and threes; what
//         goes without the best of them is counted by marking what lies below the accumulation
//         point without them, so the figure is exact.
// Shape:  scratch 1 B and 1 bit an object below the accumulation point, 4 B for each on the stack.
//         O(references below it), twice.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], figure 2.3.
#pragma once

#include "analysis/suspect_search.h"
#include "analysis/suspects.h"

namespace holdfast::analysis {

struct JointHolders {
  std::array<ObjectId, 3> sibling;
  std::size_t count = 0;          // 0: none share enough
  std::uint64_t freed_bytes = 0;  // without all of them
  std::uint64_t alone_bytes = 0;  // without the one that frees most by itself
};

Result<JointHolders> find_joint_holders(const SuspectInput& input, const SuspectFinding& finding,
                                        const ClassSums& sums, Arena& arena,
                                        const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
