#include "analysis/suspect_search.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

// More than a handful of large children of one class are a group of their own (shards), fewer are places to go on.
constexpr std::size_t kFewLarge = 4;
// What links the parts of one container is looked for in so many references.
constexpr std::uint64_t kMostLinks = 1 << 12;
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
    find_one_place_below_root();
    for (std::size_t i = 0; i < large_count_; ++i)
      if (!is_together(large_[i].row)) go_on(large_[i].position);
    for (const std::uint32_t row : sums_.touched()) {
      if (is_class_objects(row)) continue;
      const bool split = !is_together(row);
      const std::uint64_t rest = sums_[row].retained_bytes - (split ? large_bytes(row) : 0);
      if (rest < limits_.threshold_bytes) continue;
      SuspectFinding finding = group_below(kRootPosition, row, rest, split);
      finding.kind = FindingKind::kUnderNobody;
      add(finding);
    }
  }

  void look_at(std::uint32_t position) noexcept {
    const Structure structure = weigh(position);
    const std::uint64_t all = retained_at(d_, position);
    if (structure.objects < kManyObjects) find_parts_of_one();
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
    return count != 0 && count <= kFewLarge && !is_together(row) &&
           large_bytes(row) / kMostTenths >= sums_[row].retained_bytes / 10;
  }

  // -- large children that are one place --

  bool is_together(std::uint32_t row) const noexcept {
    const auto end = together_ + together_count_;
    return std::find(together_, end, row) != end;
  }

  void put_together(std::uint32_t row) noexcept {
    if (together_count_ < kMaxLarge) together_[together_count_++] = row;
  }

  template <class Test>
  void for_each_large_row(Test is_one_place) noexcept {
    for (std::size_t i = 0; i < large_count_; ++i) {
      const std::uint32_t row = large_[i].row;
      const auto of_row = [row](const Large& large) { return large.row == row; };
      if (std::find_if(large_, large_ + i, of_row) != large_ + i) continue;  // it was asked
      if (std::count_if(large_, large_ + large_count_, of_row) > 1 && is_one_place(row))
        put_together(row);
    }
  }

  // What a container keeps in segments that refer to each other, or in one array for each of them, is one place, not several.
  void find_parts_of_one() noexcept {
    together_count_ = 0;
    for_each_large_row([this](std::uint32_t row) {
      return follows(row) && (hang_below_several(row) || refer_to_each_other(row));
    });
  }

  bool hang_below_several(std::uint32_t row) const noexcept {
    std::uint32_t above = Dominators::kRoot;
    for (std::size_t i = 0; i < large_count_; ++i) {
      if (large_[i].row != row) continue;
      const std::uint32_t by = d_.idom[d_.order[large_[i].position]];
      if (above != Dominators::kRoot && by != above) return true;
      above = by;
    }
    return false;
  }

  // All but the first have a reference from another one, or from what is connected with it.
  bool refer_to_each_other(std::uint32_t row) const noexcept {
    bool referred[kMaxLarge] = {};
    for (std::size_t i = 0; i < large_count_; ++i)
      if (large_[i].row == row) note_references(i, referred);
    std::size_t parts = 0, met = 0;
    for (std::size_t i = 0; i < large_count_; ++i) {
      parts += large_[i].row == row ? 1 : 0;
      met += referred[i] ? 1 : 0;
    }
    return met + 1 >= parts;
  }

  void note_references(std::size_t from, bool (&referred)[kMaxLarge]) const noexcept {
    const std::uint32_t row = large_[from].row;
    std::uint64_t links = 0;
    const std::uint32_t end = subtree_end(d_, large_[from].position);
    for (std::uint32_t at = large_[from].position; at < end && links < kMostLinks; ++links) {
      const std::uint32_t object = d_.order[at];
      if (sums_.row_of(object) != row) {
        at = next_child(d_, at);
        continue;
      }
      const std::uint32_t last = snapshot_.first_ref[object + 1];
      for (std::uint32_t r = snapshot_.first_ref[object]; r < last && links < kMostLinks; ++r) {
        ++links;
        for (std::size_t to = 0; to < large_count_; ++to)
          if (to != from && large_[to].row == row &&
              d_.order[large_[to].position] == snapshot_.target[r].value)
            referred[to] = true;
      }
      ++at;
    }
  }

  // So is what refers to each other and is held by several roots.
  void find_one_place_below_root() noexcept {
    together_count_ = 0;
    for_each_large_row(
        [&](std::uint32_t row) { return !is_class_objects(row) && refer_to_each_other(row); });
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
  std::uint32_t together_[kMaxLarge];  // rows whose large children are one place
  std::size_t together_count_ = 0;
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
