#include "analysis/suspect_search.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

// More than a handful of large children of one class are a group of their own (shards), fewer are places to go on.
constexpr std::size_t kFewLarge = 4;
// Large children have "most" of their class's bytes from 7 tenths on: MAT's figure for an accumulation point.
constexpr std::uint64_t kMostTenths = 7;
// A structure of fewer connected objects is read as single objects (a chain of class loaders, nested panels).
constexpr std::uint64_t kManyObjects = 32;
constexpr std::size_t kMaxLarge =
    256;  // children that retain the threshold; beyond, they are a group anyway

struct Large {
  std::uint32_t position;
  std::uint32_t row;
};

class SuspectSearch {
 public:
  SuspectSearch(const Snapshot& snapshot, const Dominators& d, const SearchLimits& limits,
                ClassSums& sums, SuspectFindings& found) noexcept
      : snapshot_(snapshot), d_(d), limits_(limits), sums_(sums), found_(found) {}

  Result<void> run(Arena& arena, const CancelToken& cancel) noexcept {
    // The open objects are disjoint subtrees of at least the threshold each.
    HF_TRY(open, arena.make<std::uint32_t>(d_.held_bytes / limits_.threshold_bytes + 1));
    open_ = open;
    look_below_root();
    while (open_count_ != 0) {
      HF_CHECK_OK(cancel.check());
      look_at(open_[--open_count_]);
    }
    return {};
  }

 private:
  Structure weigh(std::uint32_t position) noexcept {
    sums_.clear();
    large_count_ = 0;
    return sum_structure(snapshot_, d_, position, limits_.threshold_bytes, sums_,
                         [&](std::uint32_t child) {
                           if (large_count_ < kMaxLarge)
                             large_[large_count_++] = {child, sums_.row_of(d_.order[child])};
                         });
  }

  bool is_class_objects(std::uint32_t row) const noexcept {
    const ClassId id = sums_.class_of_row(row);
    return id.valid() && (snapshot_.catalog.classes[id.value].flags & kClassClass) != 0;
  }

  // Every large child of the virtual root is looked at; what is left of a class is a group that nobody holds alone. Class
  // objects are left out: all of them hang there, and they are the program, not its data.
  void look_below_root() noexcept {
    weigh(kRootPosition);
    for (std::size_t i = 0; i < large_count_; ++i) go_on(large_[i].position);
    for (const std::uint32_t row : sums_.touched()) {
      if (is_class_objects(row)) continue;
      const std::uint64_t rest = sums_[row].retained_bytes - large_bytes(row);
      if (rest < limits_.threshold_bytes) continue;
      SuspectFinding finding = group_below(kRootPosition, row, rest, true);
      finding.kind = FindingKind::kUnderNobody;
      add(finding);
    }
  }

  void look_at(std::uint32_t position) noexcept {
    const Structure structure = weigh(position);
    const std::uint64_t all = retained_at(d_, position);
    const std::uint64_t followed = follow_large();
    if (structure.objects >= kManyObjects) {
      if (all - followed >= limits_.threshold_bytes)
        add(whole_structure(position, all - followed, followed != 0));
      return;
    }
    std::uint64_t explained = followed;
    for (const std::uint32_t row : sums_.touched()) {
      const bool split = follows(row);
      const std::uint64_t rest = sums_[row].retained_bytes - (split ? large_bytes(row) : 0);
      if (rest < limits_.threshold_bytes) continue;
      add(group_below(position, row, rest, split));
      explained += rest;
    }
    if (structure.shallow_bytes >= limits_.threshold_bytes) {
      add(single(position, FindingKind::kSingle, structure.shallow_bytes));
      explained += structure.shallow_bytes;
    }
    if (all - explained >= limits_.spread_bytes)
      add(single(position, FindingKind::kSpread, all - explained));
  }

  std::uint64_t large_bytes(std::uint32_t row) const noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < large_count_; ++i)
      if (large_[i].row == row) sum += retained_at(d_, large_[i].position);
    return sum;
  }

  // The class's bytes are in a few large children: the search goes on there.
  bool follows(std::uint32_t row) const noexcept {
    const auto is_row = [row](const Large& large) { return large.row == row; };
    const auto count =
        static_cast<std::size_t>(std::count_if(large_, large_ + large_count_, is_row));
    return count != 0 && count <= kFewLarge &&
           large_bytes(row) / kMostTenths >= sums_[row].retained_bytes / 10;
  }

  std::uint64_t follow_large() noexcept {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < large_count_; ++i) {
      if (!follows(large_[i].row)) continue;
      go_on(large_[i].position);
      sum += retained_at(d_, large_[i].position);
    }
    return sum;
  }

  SuspectFinding group_below(std::uint32_t holder, std::uint32_t row, std::uint64_t bytes,
                             bool without_large) const noexcept {
    SuspectFinding finding;
    finding.kind = FindingKind::kGroup;
    finding.start.position = holder;
    finding.start.first_row = row;
    if (without_large) finding.start.too_big_bytes = limits_.threshold_bytes;
    finding.holder = holder;
    finding.bytes = bytes;
    finding.largest_child_bytes =
        without_large ? std::min(sums_[row].largest_retained_bytes, limits_.threshold_bytes)
                      : sums_[row].largest_retained_bytes;
    return finding;
  }

  SuspectFinding whole_structure(std::uint32_t position, std::uint64_t bytes,
                                 bool without_large) const noexcept {
    SuspectFinding finding;
    finding.kind = FindingKind::kStructure;
    finding.start.position = position;
    finding.start.first_row = sums_.row_of(d_.order[position]);
    finding.start.is_structure = true;
    if (without_large) finding.start.too_big_bytes = limits_.threshold_bytes;
    const std::uint32_t above = d_.idom[d_.order[position]];
    finding.holder = above == Dominators::kRoot ? position : d_.position[above];
    finding.bytes = bytes;
    return finding;
  }

  SuspectFinding single(std::uint32_t position, FindingKind kind,
                        std::uint64_t bytes) const noexcept {
    SuspectFinding finding;
    finding.kind = kind;
    finding.start.position = position;
    finding.start.first_row = sums_.row_of(d_.order[position]);
    finding.holder = position;
    finding.bytes = bytes;
    for (const std::uint32_t row : sums_.touched())
      finding.largest_child_bytes =
          std::max(finding.largest_child_bytes, sums_[row].largest_retained_bytes);
    return finding;
  }

  void go_on(std::uint32_t position) noexcept { open_[open_count_++] = position; }
  void add(const SuspectFinding& finding) noexcept {
    if (found_.count < kMaxFindings) found_.item[found_.count++] = finding;
  }

  const Snapshot& snapshot_;
  const Dominators& d_;
  const SearchLimits& limits_;
  ClassSums& sums_;
  SuspectFindings& found_;
  std::span<std::uint32_t> open_;
  std::size_t open_count_ = 0;
  Large large_[kMaxLarge];
  std::size_t large_count_ = 0;
};

}  // namespace

Result<void> search_suspects(const Snapshot& snapshot, const Dominators& d,
                             const SearchLimits& limits, ClassSums& sums, SuspectFindings& found,
                             Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  SuspectSearch search(snapshot, d, limits, sums, found);
  return search.run(arena, cancel);
}

}  // namespace holdfast::analysis
