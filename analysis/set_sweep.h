// Retained sizes of many sets of objects in one sweep over the dominator tree.
// Why: the minimum retained size of a set is the sum over its members that no other member dominates. In preorder a member is
//      dominated by an earlier member of the same set exactly when it lies before the end of that member's subtree.
// Shape:  retained[s] bytes and covered_until[s] position, 12 B a set; O(1) a member. Members of one set must come in rising
//         position; different sets may overlap and interleave.
// Zone:   worker, offline.   Errors: kOutOfBudget.
// Source: Eclipse MAT (minimum retained size).
#pragma once

#include "analysis/dominator_tree.h"
#include "common/arena.h"

namespace holdfast::analysis {

class SetSweep {
 public:
  static Result<SetSweep> make(const Dominators& dominators, std::size_t sets,
                               Arena& arena) noexcept {
    HF_TRY(retained, arena.make_filled<std::uint64_t>(sets, 0));
    HF_TRY(covered_until, arena.make_filled<std::uint32_t>(sets, 0));
    SetSweep made;
    made.dominators_ = &dominators;
    made.retained_ = retained;
    made.covered_until_ = covered_until;
    return made;
  }
  void add(std::size_t set, std::uint32_t position) noexcept {
    if (position < covered_until_[set]) return;
    covered_until_[set] = subtree_end(*dominators_, position);
    retained_[set] += retained_at(*dominators_, position);
  }
  std::uint64_t retained_bytes(std::size_t set) const noexcept { return retained_[set]; }

 private:
  const Dominators* dominators_ = nullptr;
  std::span<std::uint64_t> retained_;
  std::span<std::uint32_t> covered_until_;
};

// One member of one set, for sets that are listed and not computed from the class.
struct SetMember {
  std::uint32_t position;
  std::uint32_t set;
};

}  // namespace holdfast::analysis
