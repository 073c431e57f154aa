// The dominator tree by class, loader or package: the children of the virtual root in groups, below each group the children of
// all its members in groups, and so on.
// Why sums are plain: objects side by side in the dominator tree share nothing, so retained sizes of a level never overlap.
// Shape:  retained == shallow + sum over its child rows of retained + rest_weight (bytes), for every row and for the whole.
//         80 B a row; scratch 4 B a held object, 60 B a key, 20 B a row. O(held) at most: what is not shown is not visited.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/group_keys.h"
#include "analysis/group_tree.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct alignas(8) TreeGroupSum {
  std::uint64_t objects = 0;
  std::uint64_t class_objects = 0;  // of them
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;
  std::uint64_t largest_retained_bytes = 0;
  ObjectId largest;
  std::uint64_t weight() const noexcept { return retained_bytes; }
  std::uint64_t own() const noexcept { return shallow_bytes; }
};
using TreeGroupRow = GroupNode<TreeGroupSum>;
static_assert(sizeof(TreeGroupRow) == 80);

struct TreeGroupQuery {
  GroupBy by = GroupBy::kClass;
  // Keys from the top level down to the group to open: its children are the top rows then. Empty: the whole tree.
  std::span<const std::uint32_t> start;
  GroupLimits limits;
};

struct TreeGroups {
  GroupKeys keys;                      // names of the rows' keys
  std::span<const TreeGroupRow> rows;  // parents before children
  TreeGroupSum
      start;  // the group that was opened; of the whole tree: no objects of its own, all bytes retained
  std::uint64_t rest_retained_bytes = 0;  // of top-level groups that are no rows
  std::uint32_t rest_groups = 0;
};

Result<TreeGroups> tree_groups(const Snapshot& snapshot, const Dominators& dominators,
                               const TreeGroupQuery& query, Arena& arena,
                               const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
