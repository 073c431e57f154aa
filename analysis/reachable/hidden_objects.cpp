#include "analysis/reachable/hidden_objects.h"

#include <algorithm>

#include "analysis/class_objects.h"
#include "analysis/dominator_tree.h"
#include "analysis/few_of_a_kind.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint64_t kLeastShare = 200;  // of the held bytes, hidden by one object

struct Hidden {
  std::uint32_t object = 0;
  std::uint32_t class_row = 0;  // of a class object, that of the class it stands for
  std::uint64_t bytes = 0;      // by which it reaches more than it retains
};

bool is_before(const Hidden& a, const Hidden& b) noexcept {
  return a.bytes != b.bytes ? a.bytes > b.bytes : a.object < b.object;
}
bool same_kind(const Hidden& a, const Hidden& b) noexcept { return a.class_row == b.class_row; }

class HiddenSearch {
 public:
  HiddenSearch(const Snapshot& snapshot, const Dominators& dominators, const ReachableSizes& sizes,
               std::span<Hidden> rows, const CancelToken& cancel) noexcept
      : snapshot_(snapshot),
        d_(dominators),
        sizes_(sizes),
        list_(rows, kMaxHiddenOfClass),
        cancel_(cancel) {}

  Result<void> run(Arena& arena) noexcept {
    HF_TRY(most, arena.make_filled<std::uint32_t>(sizes_.bytes.size(), ObjectId::kNoneValue));
    HF_TRY(above, arena.make<std::uint32_t>(std::size_t{d_.depth} + 1));
    HF_TRY(classes, ClassObjects::make(snapshot_, arena));
    most_retaining_ = most;
    above_ = above;
    classes_ = classes;
    HF_CHECK_OK(survey());
    return forward_in_strides(0, d_.held_objects, cancel_,
                              [this](std::uint32_t from, std::uint32_t to) {
                                for (std::uint32_t p = from; p < to; ++p) look_at(p);
                              });
  }
  std::span<const Hidden> rows() const noexcept { return list_.rows(); }

 private:
  Result<void> survey() noexcept {
    return forward_in_strides(0, snapshot_.object_count(), cancel_,
                              [this](std::uint32_t from, std::uint32_t to) {
                                for (std::uint32_t v = from; v < to; ++v)
                                  if (d_.position[v] != ObjectId::kNoneValue) note(v);
                              });
  }
  void note(std::uint32_t object) noexcept {
    most_reached_ = std::max(most_reached_, sizes_.of(ObjectId{object}));
    std::uint32_t& most = most_retaining_[sizes_.component[object]];
    if (most == ObjectId::kNoneValue || d_.retained_bytes[object] > d_.retained_bytes[most])
      most = object;
  }

  // Positions come in preorder, so above_ holds the dominators of this one, the uppermost first.
  void look_at(std::uint32_t position) noexcept {
    prefetch_ahead(d_, position, sizes_.component, d_.retained_bytes);
    while (levels_ > 0 && subtree_end(d_, above_[levels_ - 1]) <= position) --levels_;
    const std::uint32_t object = d_.order[position];
    const std::uint64_t retained = d_.retained_bytes[object];
    const std::uint64_t reached = sizes_.of(ObjectId{object});
    if (reached >= 2 * retained && kLeastShare * (reached - retained) >= d_.held_bytes)
      consider({object, classes_.row_of(object), reached - retained}, reached);
    if (d_.subtree_objects[position] > 1) above_[levels_++] = position;
  }

  void consider(const Hidden& hidden, std::uint64_t reached) noexcept {
    if (most_retaining_[sizes_.component[hidden.object]] != hidden.object) return;
    if (!list_.may_take(hidden) || goes_on(reached)) return;
    const bool shown = is_shown(reached);
    if (shown && !is_own(hidden.object)) return;
    if ((!shown && !reaches_nearly_all(reached)) || gathers(hidden.object, reached))
      list_.offer(hidden);
  }

  // Asked last: arrays may have millions of references, but few objects come so far.
  bool gathers(std::uint32_t object, std::uint64_t reached) const noexcept {
    for (std::uint32_t i = snapshot_.first_ref[object]; i < snapshot_.first_ref[object + 1]; ++i)
      if (sizes_.of(snapshot_.target[i]) > reached / 2) return false;
    return true;
  }

  bool is_own(std::uint32_t object) const noexcept {
    const ClassId id = snapshot_.class_of[object];
    return id.valid() &&
           (snapshot_.catalog.classes[id.value].flags & (kClassPlatform | kClassClass)) == 0;
  }

  bool reaches_nearly_all(std::uint64_t reached) const noexcept {
    return 2 * reached > d_.held_bytes && 10 * reached >= 9 * most_reached_;
  }

  bool goes_on(std::uint64_t reached) const noexcept {
    if (levels_ == 0) return false;
    const std::uint64_t by_dominator = sizes_.of(ObjectId{d_.order[above_[levels_ - 1]]});
    return !reaches_nearly_all(by_dominator) && 4 * by_dominator <= 5 * reached;
  }

  // Retained sizes fall from level to level.
  bool is_shown(std::uint64_t reached) const noexcept {
    const auto levels = above_.first(levels_);
    const auto smaller = std::partition_point(
        levels.begin(), levels.end(),
        [&](std::uint32_t position) { return retained_at(d_, position) >= reached; });
    return smaller != levels.begin() && retained_at(d_, *(smaller - 1)) / 2 < reached;
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const ReachableSizes& sizes_;
  FewOfAKind<Hidden> list_;
  const CancelToken& cancel_;
  ClassObjects classes_;
  std::span<std::uint32_t> most_retaining_;  // [nodes] by node: an object, or kNoneValue
  std::span<std::uint32_t> above_;           // [levels] positions
  std::uint32_t levels_ = 0;
  std::uint64_t most_reached_ = 0;  // by any held object
};

}  // namespace

Result<std::uint32_t> find_hidden_objects(const Snapshot& snapshot, const Dominators& dominators,
                                          const ReachableSizes& sizes, std::span<ObjectId> hidden,
                                          Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(rows, arena.make_filled<Hidden>(hidden.size(), Hidden{}));
  HiddenSearch search(snapshot, dominators, sizes, rows, cancel);
  HF_CHECK_OK(search.run(arena));
  std::uint32_t count = 0;
  for (const Hidden& row : search.rows()) hidden[count++] = ObjectId{row.object};
  return count;
}

}  // namespace holdfast::analysis
