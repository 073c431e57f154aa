#include "analysis/dominator_tree.h"

#include <algorithm>
#include <cstring>

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kVerticesAhead = 16;  // objects between the prefetch and the use

// retained[v] and semi[v] (as subtree size) of every held object.
Result<void> add_up(const Snapshot& snapshot, DominatorArrays& a,
                    const CancelToken& cancel) noexcept {
  HF_CHECK_OK(forward_in_strides(
      0, snapshot.object_count(), cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t o = from; o < to; ++o)
          a.retained[o] =
              a.number[o] == DominatorArrays::kUnvisited ? 0 : snapshot.shallow_bytes(ObjectId{o});
      }));
  std::fill_n(a.semi.begin(), a.held + 1, 1u);
  return backward_in_strides(1, a.held + 1, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t v = to; v-- > from;) {
      if (v > kVerticesAhead) prefetch(&a.retained[a.vertex[v - kVerticesAhead]]);
      const std::uint32_t dominator = a.parent[v];
      a.semi[dominator] += a.semi[v];
      if (dominator != 0) a.retained[a.vertex[dominator]] += a.retained[a.vertex[v]];
    }
  });
}

// What one object leaves behind: semi[v] turns from its subtree size into the next free position for its children, parent[v]
// from its dominator into its depth; both were read by then.
void place(DominatorArrays& a, std::uint32_t v) noexcept {
  const std::uint32_t dominator = a.parent[v];
  const std::uint32_t object = a.vertex[v];
  const std::uint32_t position = a.semi[dominator];
  const std::uint32_t size = a.semi[v];
  a.semi[dominator] = position + size;
  a.semi[v] = position + 1;
  a.parent[v] = a.parent[dominator] + 1;
  a.order[position] = object;
  a.subtree_objects[position] = size;
  a.number[object] = position;
  a.idom_by_object[object] = dominator == 0 ? Dominators::kRoot : a.vertex[dominator];
}

std::uint64_t held_bytes(const Snapshot& snapshot, const DominatorArrays& a) noexcept {
  std::uint64_t sum = 0;
  for (std::uint32_t o = 0; o < snapshot.object_count(); ++o) {
    if (a.number[o] != DominatorArrays::kUnvisited) sum += snapshot.shallow_bytes(ObjectId{o});
  }
  return sum;
}

}  // namespace

Result<Dominators> build_dominator_tree(const Snapshot& snapshot, DominatorArrays& a,
                                        const CancelToken& cancel) noexcept {
  HF_CHECK_OK(add_up(snapshot, a, cancel));
  std::memset(a.idom_by_object.data(), 0xFF, a.idom_by_object.size_bytes());
  a.semi[0] = 0;
  a.parent[0] = 0;
  HF_CHECK_OK(forward_in_strides(1, a.held + 1, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t v = from; v < to; ++v) {
      if (v + kVerticesAhead <= a.held) {
        prefetch(&a.number[a.vertex[v + kVerticesAhead]]);
        prefetch(&a.idom_by_object[a.vertex[v + kVerticesAhead]]);
      }
      place(a, v);
    }
  }));
  Dominators made;
  made.held_objects = a.held;
  made.held_up_to = a.held_up_to;  // children stand in the order of their numbers
  made.held_bytes = held_bytes(snapshot, a);
  for (std::uint32_t v = 1; v <= a.held; ++v) made.depth = std::max(made.depth, a.parent[v]);
  made.idom = a.idom_by_object;
  made.retained_bytes = a.retained;
  made.order = a.order.first(a.held);
  made.position = a.number;
  made.subtree_objects = a.subtree_objects.first(a.held);
  return made;
}

}  // namespace holdfast::analysis
