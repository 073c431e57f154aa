#include "analysis/mat_suspects.h"

#include <algorithm>

#include "analysis/class_sums.h"
#include "analysis/dominator_tree.h"
#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

class MatSearch {
 public:
  MatSearch(const Snapshot& snapshot, const Dominators& d, const MatLimits& limits,
            const CancelToken& cancel, std::span<MatSuspect> found) noexcept
      : snapshot_(snapshot), d_(d), limits_(limits), cancel_(cancel), found_(found) {}

  Result<std::size_t> run(Arena& arena) noexcept {
    HF_TRY(others, ClassSums::make(snapshot_, arena));
    for (std::uint32_t c = 0; c < d_.held_objects; c = next_child(d_, c)) {
      HF_CHECK_OK(look_at_token());
      const std::uint32_t object = d_.order[c];
      if (is_large(d_.retained_bytes[object]))
        HF_CHECK_OK(add_object(object, c));
      else
        others.add(object, d_.retained_bytes[object]);
    }
    sort_from(0);
    const std::size_t singles = count_;
    for (const std::uint32_t row : others.touched())
      if (is_large(others[row].retained_bytes)) add_group(others, row);
    sort_from(singles);
    return count_;
  }

 private:
  bool is_large(std::uint64_t bytes) const noexcept {
    return bytes * 100 > d_.held_bytes * limits_.share_percent;
  }

  Result<void> look_at_token() noexcept {
    if (++steps_ % kCancelStride != 0) return {};
    return cancel_.check();
  }

  Result<void> add_object(std::uint32_t object, std::uint32_t position) noexcept {
    MatSuspect& made = found_[count_++] = MatSuspect{};
    made.object = ObjectId{object};
    made.class_id = snapshot_.class_of[object];
    made.shallow_bytes = snapshot_.shallow_bytes(made.object);
    made.retained_bytes = d_.retained_bytes[object];
    return find_accumulation(position, made);
  }

  void add_group(const ClassSums& sums, std::uint32_t row) noexcept {
    MatSuspect& made = found_[count_++] = MatSuspect{};
    made.class_id = sums.class_of_row(row);
    made.objects = sums[row].objects;
    made.shallow_bytes = sums[row].shallow_bytes;
    made.retained_bytes = sums[row].retained_bytes;
  }

  Result<void> find_accumulation(std::uint32_t from, MatSuspect& suspect) noexcept {
    std::uint32_t at = from;
    for (;; ++suspect.accumulation_depth) {
      HF_TRY(child, largest_child(at));
      const bool leaf = child == kRootPosition;
      if (leaf || retained_at(d_, child) * 10 < retained_at(d_, at) * limits_.drop_tenths) break;
      at = child;
    }
    suspect.accumulation_point = ObjectId{d_.order[at]};
    suspect.accumulation_retained_bytes = retained_at(d_, at);
    return {};
  }

  // Of equals the first in preorder; kRootPosition: no child.
  Result<std::uint32_t> largest_child(std::uint32_t position) noexcept {
    std::uint32_t largest = kRootPosition;
    const std::uint32_t end = subtree_end(d_, position);
    for (std::uint32_t c = first_child(position); c < end; c = next_child(d_, c)) {
      HF_CHECK_OK(look_at_token());
      if (largest == kRootPosition || retained_at(d_, c) > retained_at(d_, largest)) largest = c;
    }
    return largest;
  }

  void sort_from(std::size_t first) noexcept {
    std::sort(found_.begin() + static_cast<std::ptrdiff_t>(first),
              found_.begin() + static_cast<std::ptrdiff_t>(count_),
              [](const MatSuspect& a, const MatSuspect& b) {
                if (a.retained_bytes != b.retained_bytes)
                  return a.retained_bytes > b.retained_bytes;
                return a.object != b.object ? a.object < b.object : a.class_id < b.class_id;
              });
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const MatLimits& limits_;
  const CancelToken& cancel_;
  std::span<MatSuspect> found_;
  std::size_t count_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

Result<std::span<const MatSuspect>> mat_suspects(const Snapshot& snapshot,
                                                 const Dominators& dominators,
                                                 const MatLimits& limits, Arena& arena,
                                                 const CancelToken& cancel) noexcept {
  MatLimits sane = limits;
  sane.share_percent = std::clamp(limits.share_percent, 1u, 100u);
  HF_TRY(found, arena.make<MatSuspect>(100 / sane.share_percent));
  ArenaScope scratch(arena);
  MatSearch search(snapshot, dominators, sane, cancel, found);
  HF_TRY(count, search.run(arena));
  return std::span<const MatSuspect>(found.first(count));
}

}  // namespace holdfast::analysis
