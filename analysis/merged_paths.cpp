#include "analysis/merged_paths.h"

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

// The union of the members' paths. Items are places in `object`, parents before children.
class PathForest {
 public:
  using Sum = MergedPathSum;

  PathForest(const Snapshot& snapshot, const Reachability& reachability, const ObjectSet& set,
             const GroupKeys& keys) noexcept
      : snapshot_(snapshot), reachability_(reachability), set_(set), keys_(keys) {}

  Result<void> make(Arena& arena, const CancelToken& cancel) noexcept {
    HF_TRY(place, arena.make_filled<std::uint32_t>(snapshot_.object_count(), kNone));
    HF_TRY(object, arena.make<std::uint32_t>(snapshot_.object_count()));
    place_ = place;
    object_ = object;
    HF_CHECK_OK(collect(cancel));
    HF_TRY(paths, arena.make_filled<std::uint32_t>(object_.size(), 0));
    HF_TRY(path_bytes, arena.make_filled<std::uint64_t>(object_.size(), 0));
    HF_TRY(first_child, arena.make_filled<std::uint32_t>(object_.size(), kNone));
    HF_TRY(next, arena.make_filled<std::uint32_t>(object_.size(), kNone));
    paths_ = paths;
    path_bytes_ = path_bytes;
    first_child_ = first_child;
    next_ = next;
    return add_up(cancel);
  }

  std::uint32_t key_count() const noexcept { return keys_.count(); }
  std::uint32_t key_of(std::uint32_t item) const noexcept { return keys_.of(object_[item]); }
  std::span<std::uint32_t> next() const noexcept { return next_; }
  void add(Sum& sum, std::uint32_t item) const noexcept {
    const std::uint32_t object = object_[item];
    ++sum.objects;
    sum.class_objects += keys_.is_class_object(object) ? 1 : 0;
    sum.shallow_bytes += snapshot_.shallow_bytes(ObjectId{object});
    sum.members += set_.contains(object) ? 1 : 0;
    sum.paths += paths_[item];
    sum.path_bytes += path_bytes_[item];
    if (paths_[item] <= sum.example_paths) return;
    sum.example_paths = paths_[item];
    sum.example = ObjectId{object};
  }
  template <class Visit>
  void visit_children(std::uint32_t item, Visit visit) const noexcept {
    std::uint32_t child = item == GroupTree<PathForest>::kTop ? first_root_ : first_child_[item];
    while (child != kNone) {
      const std::uint32_t after = next_[child];  // the visit puts the child into another list
      visit(child);
      child = after;
    }
  }
  std::uint64_t without_path() const noexcept { return without_path_; }

 private:
  // Walks up from each member to the first object that an earlier walk has met; turned round, every walk has parents first.
  Result<void> collect(const CancelToken& cancel) noexcept {
    std::uint32_t count = 0;
    std::uint32_t steps = 0;
    Result<void> ok;
    set_.for_each([&](std::uint32_t member) {
      if (!ok) return;
      if (reachability_.parent[member] == ObjectId::kNoneValue) {
        ++without_path_;
        return;
      }
      const std::uint32_t from = count;
      for (std::uint32_t at = member; at != Reachability::kRoot && place_[at] == kNone;
           at = reachability_.parent[at]) {
        place_[at] = 0;
        object_[count++] = at;
        if (++steps % kCancelStride == 0) ok = cancel.check();
      }
      std::reverse(object_.begin() + from, object_.begin() + count);
    });
    HF_CHECK_OK(ok);
    object_ = object_.first(count);
    for (std::uint32_t item = 0; item < count; ++item) place_[object_[item]] = item;
    return {};
  }

  Result<void> add_up(const CancelToken& cancel) noexcept {
    for (std::uint32_t item = static_cast<std::uint32_t>(object_.size()); item-- > 0;) {
      if (item % kCancelStride == 0) HF_CHECK_OK(cancel.check());
      const std::uint32_t object = object_[item];
      if (set_.contains(object)) {
        ++paths_[item];
        path_bytes_[item] += snapshot_.shallow_bytes(ObjectId{object});
      }
      const std::uint32_t parent = reachability_.parent[object];
      std::uint32_t& first =
          parent == Reachability::kRoot ? first_root_ : first_child_[place_[parent]];
      next_[item] = first;
      first = item;
      if (parent == Reachability::kRoot) continue;
      paths_[place_[parent]] += paths_[item];
      path_bytes_[place_[parent]] += path_bytes_[item];
    }
    return {};
  }

  const Snapshot& snapshot_;
  const Reachability& reachability_;
  const ObjectSet& set_;
  const GroupKeys& keys_;
  std::span<std::uint32_t> place_;   // [n] kNone: on no path
  std::span<std::uint32_t> object_;  // [p]
  std::span<std::uint32_t> paths_, first_child_, next_;
  std::span<std::uint64_t> path_bytes_;
  std::uint32_t first_root_ = kNone;
  std::uint64_t without_path_ = 0;
};

}  // namespace

Result<MergedPaths> merged_paths(const Snapshot& snapshot, const Reachability& reachability,
                                 const ObjectSet& set, const GroupLimits& limits, Arena& arena,
                                 const CancelToken& cancel) noexcept {
  MergedPaths found;
  HF_TRY(keys, GroupKeys::make(snapshot, GroupBy::kClass, arena));
  HF_TRY(nodes, arena.make<MergedPathNode>(limits.nodes));
  found.keys = keys;
  ArenaScope scratch(arena);
  PathForest forest(snapshot, reachability, set, keys);
  HF_CHECK_OK(forest.make(arena, cancel));
  forest.visit_children(GroupTree<PathForest>::kTop, [&](std::uint32_t item) {
    MergedPathSum root;
    forest.add(root, item);
    found.paths += root.paths;
    found.path_bytes += root.path_bytes;
  });
  GroupTree<PathForest> tree(forest, limits, cancel);
  HF_TRY(count, tree.run(nodes, {}, arena));
  found.nodes = nodes.first(count);
  found.without_path = forest.without_path();
  found.rest_paths = tree.rest_weight();
  found.rest_groups = tree.rest_groups();
  return found;
}

}  // namespace holdfast::analysis
