#include "analysis/tree_groups.h"

#include "analysis/dominator_tree.h"

namespace holdfast::analysis {

namespace {

// Items are positions in the dominator tree's preorder.
class TreeSource {
 public:
  using Sum = TreeGroupSum;

  TreeSource(const Snapshot& snapshot, const Dominators& d, const GroupKeys& keys,
             std::span<std::uint32_t> next) noexcept
      : snapshot_(snapshot), d_(d), keys_(keys), next_(next) {}

  std::uint32_t key_count() const noexcept { return keys_.count(); }
  std::uint32_t key_of(std::uint32_t position) const noexcept {
    return keys_.of(d_.order[position]);
  }
  std::span<std::uint32_t> next() const noexcept { return next_; }
  void add(Sum& sum, std::uint32_t position) const noexcept {
    const std::uint32_t object = d_.order[position];
    const std::uint64_t retained = d_.retained_bytes[object];
    ++sum.objects;
    sum.class_objects += keys_.is_class_object(object) ? 1 : 0;
    sum.shallow_bytes += snapshot_.shallow_bytes(ObjectId{object});
    sum.retained_bytes += retained;
    if (sum.largest.valid() && retained <= sum.largest_retained_bytes) return;
    sum.largest_retained_bytes = retained;
    sum.largest = ObjectId{object};
  }
  template <class Visit>
  void visit_children(std::uint32_t position, Visit visit) const noexcept {
    const std::uint32_t parent = position == GroupTree<TreeSource>::kTop ? kRootPosition : position;
    const std::uint32_t end = subtree_end(d_, parent);
    for (std::uint32_t c = first_child(parent); c < end; c = next_child(d_, c)) visit(c);
  }

 private:
  const Snapshot& snapshot_;
  const Dominators& d_;
  const GroupKeys& keys_;
  std::span<std::uint32_t> next_;
};

}  // namespace

Result<TreeGroups> tree_groups(const Snapshot& snapshot, const Dominators& dominators,
                               const TreeGroupQuery& query, Arena& arena,
                               const CancelToken& cancel) noexcept {
  TreeGroups found;
  HF_TRY(keys, GroupKeys::make(snapshot, query.by, arena));
  HF_TRY(rows, arena.make<TreeGroupRow>(query.limits.nodes));
  found.keys = keys;
  ArenaScope scratch(arena);
  HF_TRY(next, arena.make<std::uint32_t>(dominators.held_objects));
  TreeSource source(snapshot, dominators, keys, next);
  GroupTree<TreeSource> tree(source, query.limits, cancel);
  HF_TRY(count, tree.run(rows, query.start, arena));
  found.rows = rows.first(count);
  found.start = tree.start_sum();
  if (query.start.empty()) found.start.retained_bytes = dominators.held_bytes;
  found.rest_retained_bytes = tree.rest_weight();
  found.rest_groups = tree.rest_groups();
  return found;
}

}  // namespace holdfast::analysis
