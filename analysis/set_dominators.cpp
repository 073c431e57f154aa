#include "analysis/set_dominators.h"

#include <algorithm>

#include "analysis/class_objects.h"
#include "analysis/dominator_arrays.h"
#include "analysis/name_pattern.h"
#include "analysis/set_sweep.h"

namespace holdfast::analysis {

namespace {

class DominatorGrouping {
 public:
  DominatorGrouping(const Snapshot& snapshot, const Dominators& d, const ObjectSet& set,
                    std::span<SetDominatorRow> rows) noexcept
      : snapshot_(snapshot), d_(d), set_(set), rows_(rows) {}

  Result<void> run(std::span<const std::string_view> skip, Arena& arena,
                   const CancelToken& cancel) noexcept {
    HF_CHECK_OK(prepare(skip, arena));
    HF_TRY(members, SetSweep::make(d_, rows_.size(), arena));
    HF_CHECK_OK(
        forward_in_strides(0, d_.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
          for (std::uint32_t p = from; p < to; ++p) visit(p, members);
        }));
    HF_TRY(dominators, SetSweep::make(d_, rows_.size(), arena));
    HF_CHECK_OK(
        forward_in_strides(0, d_.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
          for (std::uint32_t p = from; p < to; ++p)
            if (is_dominator_[p]) count_dominator(p, dominators);
        }));
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      rows_[row].member_retained_bytes = members.retained_bytes(row);
      rows_[row].dominator_retained_bytes = dominators.retained_bytes(row);
    }
    return {};
  }

 private:
  Result<void> prepare(std::span<const std::string_view> skip, Arena& arena) noexcept {
    HF_TRY(class_objects, ClassObjects::make(snapshot_, arena));
    HF_TRY(skipped, arena.make<bool>(rows_.size()));
    HF_TRY(above, arena.make<std::uint32_t>(d_.held_objects));
    HF_TRY(is_dominator, arena.make_filled<bool>(d_.held_objects, false));
    class_objects_ = class_objects;
    skipped_ = skipped;
    above_ = above;
    is_dominator_ = is_dominator;
    for (std::uint32_t row = 0; row < rows_.size(); ++row) {
      const ClassId id{row < class_objects_.unknown_row() ? row : ClassId::kNoneValue};
      rows_[row].class_id = id;
      skipped_[row] = name_matches_any(skip, snapshot_.catalog.class_name(id));
    }
    rows_.back().root = true;
    return {};
  }

  void visit(std::uint32_t p, SetSweep& members) noexcept {
    const std::uint32_t object = d_.order[p];
    const std::uint32_t idom = d_.idom[object];
    const std::uint32_t found =
        idom == Dominators::kRoot ? kRootPosition : above_[d_.position[idom]];
    above_[p] = skipped_[class_objects_.row_of(object)] ? found : p;
    if (set_.contains(object)) count_member(p, found, members);
  }

  void count_member(std::uint32_t p, std::uint32_t dominator, SetSweep& members) noexcept {
    std::size_t row = rows_.size() - 1;
    if (dominator != kRootPosition) {
      row = class_objects_.row_of(d_.order[dominator]);
      is_dominator_[dominator] = true;
    }
    ++rows_[row].members;
    rows_[row].member_shallow_bytes += snapshot_.shallow_bytes(ObjectId{d_.order[p]});
    members.add(row, p);
  }

  void count_dominator(std::uint32_t p, SetSweep& dominators) noexcept {
    const std::uint32_t row = class_objects_.row_of(d_.order[p]);
    ++rows_[row].dominators;
    rows_[row].dominator_shallow_bytes += snapshot_.shallow_bytes(ObjectId{d_.order[p]});
    dominators.add(row, p);
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const ObjectSet& set_;
  std::span<SetDominatorRow> rows_;  // [class count + 2]: unknown class, virtual root
  ClassObjects class_objects_;
  std::span<bool> skipped_;         // [class count + 2]
  std::span<std::uint32_t> above_;  // [held] by position
  std::span<bool> is_dominator_;    // [held] by position
};

}  // namespace

Result<std::span<const SetDominatorRow>> set_dominators(
    const Snapshot& snapshot, const Dominators& dominators, const ObjectSet& set,
    std::span<const std::string_view> skip, Arena& arena, const CancelToken& cancel) noexcept {
  HF_TRY(rows, arena.make_filled<SetDominatorRow>(std::size_t{snapshot.catalog.class_count()} + 2,
                                                  SetDominatorRow{}));
  ArenaScope scratch(arena);
  DominatorGrouping grouping(snapshot, dominators, set, rows);
  HF_CHECK_OK(grouping.run(skip, arena, cancel));
  const auto end = std::remove_if(rows.begin(), rows.end(),
                                  [](const SetDominatorRow& row) { return row.members == 0; });
  std::sort(rows.begin(), end, [](const SetDominatorRow& a, const SetDominatorRow& b) {
    if (a.member_retained_bytes != b.member_retained_bytes)
      return a.member_retained_bytes > b.member_retained_bytes;
    if (a.root != b.root) return a.root;
    return a.class_id < b.class_id;
  });
  return std::span<const SetDominatorRow>(rows.first(static_cast<std::size_t>(end - rows.begin())));
}

}  // namespace holdfast::analysis
