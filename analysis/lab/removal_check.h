// The proof by removal: an object's retained size is what becomes unreachable when it is taken away. For real snapshots.
// Shape:  `count` held objects drawn by the seed; each marks the graph once without it, with a bit an object: O(count (n + m)).
//         To be fast, 64 draws are marked together: one word an object says in which of the 64 worlds it is reachable.
// Zone:   offline.   Errors: kOutOfBudget, kCancelled of the passes that it runs for comparison.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis::lab {

struct RemovalMismatch {
  ObjectId object;
  std::uint64_t retained_bytes = 0;  // what the dominators say
  std::uint64_t removed_bytes = 0;   // what removal says
};

struct RemovalCheck {
  std::uint64_t checked = 0;
  std::vector<RemovalMismatch> wrong;
};

// Runs the dominators of `snapshot` and checks `count` objects drawn at random. `holding` as holding_strengths(retain).
Result<RemovalCheck> check_retained(const Snapshot& snapshot, StrengthSet holding,
                                    std::uint64_t count, std::uint64_t seed);
// The same for dominators that are there already.
RemovalCheck check_retained(const CountedReferences& references, const Dominators& dominators,
                            StrengthSet holding, std::uint64_t count, std::uint64_t seed);
// Bytes that each object's removal makes unreachable.
std::vector<std::uint64_t> removed_bytes(const CountedReferences& references, StrengthSet holding,
                                         std::uint64_t held_bytes,
                                         const std::vector<ObjectId>& objects);

}  // namespace holdfast::analysis::lab
