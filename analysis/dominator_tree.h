// Phase 3 of the dominators: from immediate dominators in preorder numbers to the results by object.
// Why no child lists: with idom < v one backward pass adds up subtrees, and one forward pass hands every object the next free
//      stretch of its parent's, which is a preorder of the dominator tree.
// Shape:  O(n), two passes that touch an object's place and its dominator's. Children stand in order of their search number.
// Zone:   worker, offline.   Errors: kCancelled.
#pragma once

#include "analysis/dominator_arrays.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

Result<Dominators> build_dominator_tree(const Snapshot& snapshot, DominatorArrays& arrays,
                                        const CancelToken& cancel) noexcept;

// The children of the object at `position`, or of the virtual root: first_child(), then next_child() while < end.
inline constexpr std::uint32_t kRootPosition = 0xFFFFFFFFu;
inline std::uint32_t first_child(std::uint32_t position) noexcept { return position + 1; }
inline std::uint32_t subtree_end(const Dominators& d, std::uint32_t position) noexcept {
  return position == kRootPosition ? d.held_objects : position + d.subtree_objects[position];
}
inline std::uint32_t next_child(const Dominators& d, std::uint32_t child) noexcept {
  return child + d.subtree_objects[child];
}
inline std::uint64_t retained_at(const Dominators& d, std::uint32_t position) noexcept {
  return position == kRootPosition ? d.held_bytes : d.retained_bytes[d.order[position]];
}

// Whether a root, or the object at a position, holds anything of what lies at another: dominators.h says what does not.
inline Lifespan lifespan_at(const Dominators& d, std::uint32_t position) noexcept {
  for (const Lifespan lifespan : kLifespans)
    if (position < d.held_up_to[static_cast<std::size_t>(lifespan)]) return lifespan;
  return Lifespan::kPossible;
}
inline bool root_counts(const Snapshot& snapshot, const Dominators& d,
                        const RootRecord& root) noexcept {
  return snapshot.lifespan(root) <= lifespan_at(d, d.position[root.object.value]);
}
inline bool holder_counts(const Dominators& d, std::uint32_t holder,
                          std::uint32_t position) noexcept {
  return lifespan_at(d, holder) <= lifespan_at(d, position);
}

// Fetches what a sweep in preorder will soon read of each column: positions rise, the objects behind them lie anywhere.
inline constexpr std::uint32_t kSweepAhead = 24;
template <class... Column>
void prefetch_ahead(const Dominators& d, std::uint32_t position,
                    const Column&... columns) noexcept {
  if (d.held_objects - position <= kSweepAhead) return;
  const std::uint32_t object = d.order[position + kSweepAhead];
  (prefetch(&columns[object]), ...);
}

}  // namespace holdfast::analysis
