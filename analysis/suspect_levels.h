// What lies below an accumulation point, level by level and class by class: HashMap$Node x 5,000 -> shop.Session x 5,000 -> ...
// Why objects of one class below each other are one level: lists and trees hang each node below another, and a bucket's second
//      node below the first; counted as levels they would hide what they hold.
// Shape:  sweeps over what matched so far, in dominator-tree preorder, with a stack of one frame a level; no memory per object.
//         Each next class is chosen on a sample of a large group; one last sweep counts exactly.
// Zone:   worker, offline.   Errors: kCancelled.
#pragma once

#include "analysis/class_sums.h"
#include "analysis/dominator_tree.h"
#include "common/cancel.h"

namespace holdfast::analysis {

inline constexpr std::size_t kMaxLevels = 8;  // deeper ones say little, and each costs a sweep
inline constexpr std::uint64_t kLevelShareDivisor =
    5;  // a level goes on while one class has a fifth of the group's bytes

// Where a group begins. Below a holder: the children of the holder's own structure (objects of its class connected to it) that
// are of class `first`. A structure itself (a list, a tree): `holder` is its first object and `is_structure` is set.
struct GroupStart {
  std::uint32_t position = kRootPosition;  // kRootPosition: the virtual root
  std::uint32_t first_row = 0;             // class row of the first level
  bool is_structure = false;
  std::uint64_t too_big_bytes =
      UINT64_MAX;  // children that retain as much are looked at on their own
  // The parts of a place (suspect_places.h) instead of children of the virtual root.
  std::span<const std::uint32_t> parts;
};

struct GroupLevels {
  GroupLevelResult level[kMaxLevels];
  std::uint64_t not_strong_bytes[kMaxLevels] =
      {};                      // retained by those of the level that no strong path reaches
  ClassAges ages[kMaxLevels];  // where the snapshot has them
  std::size_t count = 0;
};

// The connected objects of one class below `position`, as a structure; sums of the children that are not part of it go to `sums`,
// those that retain at least `big_bytes` also to big(position).
struct Structure {
  std::uint64_t objects = 0;
  std::uint64_t shallow_bytes = 0;
};
template <class Big>
Structure sum_structure(const Snapshot& snapshot, const Dominators& d, std::uint32_t position,
                        std::uint64_t big_bytes, ClassSums& sums, Big big) noexcept {
  Structure found;
  std::uint32_t at = first_child(position);
  const bool root = position == kRootPosition;
  const std::uint32_t own_row = root ? 0 : sums.row_of(d.order[position]);
  if (!root) found = {1, snapshot.shallow_bytes(ObjectId{d.order[position]})};
  for (const std::uint32_t end = subtree_end(d, position); at < end;) {
    prefetch_ahead(d, at, snapshot.class_of, d.retained_bytes);
    const std::uint32_t object = d.order[at];
    if (!root && sums.row_of(object) == own_row) {
      ++found.objects;
      found.shallow_bytes += snapshot.shallow_bytes(ObjectId{object});
      ++at;  // into it: what follows are its children
      continue;
    }
    sums.add(object, d.retained_bytes[object]);
    if (d.retained_bytes[object] >= big_bytes) big(at);
    at = next_child(d, at);
  }
  return found;
}

Result<GroupLevels> find_levels(const Snapshot& snapshot, const Dominators& dominators,
                                std::span<const Strength> strength, const GroupStart& start,
                                ClassSums& sums, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
