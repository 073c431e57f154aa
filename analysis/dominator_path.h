// The way down the dominator tree from the virtual root to one object: everything that must be let go for the object to go,
// and what each of it retains.
// Shape:  a walk up the immediate dominators; 24 B a step, O(depth). Of a path longer than the limit the first and the last half
//         remain: steps[left_out_after + 1] then is length - steps.size() objects further down. retained falls on the way.
// Zone:   worker, offline.   Errors: kOutOfBudget.
// Source: figure 4.4 of [Thesis] (path in the dominator tree).
#pragma once

#include "analysis/results.h"
#include "common/arena.h"

namespace holdfast::analysis {

struct DominatorStep {
  ObjectId object;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
};

struct DominatorPath {
  std::span<const DominatorStep> steps;  // below the virtual root first, the object itself last
  std::uint32_t length = 0;              // of the whole path; 0: the object is not held
  std::uint32_t left_out_after = 0;      // index of a step, where length > steps.size() > 1
};

Result<DominatorPath> dominator_path(const Snapshot& snapshot, const Dominators& dominators,
                                     ObjectId object, std::uint32_t max_steps,
                                     Arena& arena) noexcept;

}  // namespace holdfast::analysis
