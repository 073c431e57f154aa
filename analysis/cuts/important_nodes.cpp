#include "analysis/cuts/important_nodes.h"

#include <algorithm>

#include "analysis/cuts/cut_choice.h"
#include "analysis/dominator_tree.h"
#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNodesAhead = 32;  // references between the prefetch and the use

struct Ranked {
  std::uint32_t degree = 0;
  std::uint32_t object = 0;
};

// The objects with the highest degrees; objects are offered in rising order.
class TopDegrees {
 public:
  explicit TopDegrees(std::span<Ranked> rows) noexcept
      : rows_(rows), least_(rows.empty() ? kAll : 0) {}

  void offer(std::uint32_t degree, std::uint32_t object) noexcept {
    if (degree <= least_) return;
    if (count_ == rows_.size()) {
      std::pop_heap(rows_.begin(), rows_.end(), is_before);
      --count_;
    }
    rows_[count_++] = {degree, object};
    std::push_heap(rows_.begin(), end(), is_before);
    if (count_ == rows_.size()) least_ = rows_[0].degree;
  }
  std::span<const Ranked> sorted() noexcept {
    std::sort_heap(rows_.begin(), end(), is_before);
    return rows_.first(count_);
  }

 private:
  static constexpr std::uint32_t kAll = 0xFFFFFFFFu;
  static bool is_before(const Ranked& a, const Ranked& b) noexcept {
    return a.degree != b.degree ? a.degree > b.degree : a.object < b.object;
  }
  std::span<Ranked>::iterator end() const noexcept {
    return rows_.begin() + static_cast<std::ptrdiff_t>(count_);
  }

  std::span<Ranked> rows_;
  std::size_t count_ = 0;
  std::uint32_t least_;  // what a degree must exceed: objects of degree 0 are not listed
};

class ReferenceSurvey {
 public:
  ReferenceSurvey(const ImportantNodesInput& input, const CancelToken& cancel) noexcept
      : input_(input),
        references_(input.references),
        snapshot_(input.references.snapshot()),
        d_(input.dominators),
        cancel_(cancel) {}

  Result<void> run(ImportantNodes& found, std::span<ImportantObject> most_references,
                   std::span<ImportantObject> most_referrers, std::span<Cut> cuts,
                   Arena& arena) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(referrers, arena.make_filled<std::uint32_t>(n, 0));
    HF_TRY(candidates, arena.make_filled<std::uint64_t>((std::size_t{n} + 63) / 64, 0));
    HF_TRY(out_rows, arena.make<Ranked>(most_references.size()));
    HF_TRY(in_rows, arena.make<Ranked>(most_referrers.size()));
    referrers_ = referrers;
    candidates_ = candidates;
    HF_CHECK_OK(nominate(arena));
    TopDegrees out(out_rows);
    HF_CHECK_OK(count_references(out));
    TopDegrees in(in_rows);
    HF_CHECK_OK(rank_referrers(in));
    found.most_references = list(out.sorted(), most_references);
    found.most_referrers = list(in.sorted(), most_referrers);
    note_roots();  // the referrers have been counted
    HF_TRY(count, choose_cuts(input_, candidates_, referrers_, cuts, arena, cancel_));
    for (Cut& cut : cuts.first(count)) cut.articulation = is_articulation(cut.referent);
    found.cuts = cuts.first(count);
    return {};
  }

 private:
  Result<void> look(std::uint32_t references) noexcept {
    steps_ += std::uint64_t{references} + 1;
    if (steps_ < kCancelStride) return {};
    steps_ = 0;
    return cancel_.check();
  }

  // What is large enough and has a dominator, or a single root record that can go, is a candidate until another holder is met.
  Result<void> nominate(Arena& arena) noexcept {
    const std::uint64_t least = least_cut_bytes(d_.held_bytes);
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v) {
      HF_CHECK_OK(look(0));
      const bool dominated = d_.idom[v] < Dominators::kRoot;
      candidates_[v >> 6] |= std::uint64_t{dominated && d_.retained_bytes[v] >= least} << (v & 63);
    }
    ArenaScope scratch(arena);
    HF_TRY(rooted, arena.make_filled<std::uint64_t>(candidates_.size(), 0));
    for (const RootRecord& root : snapshot_.roots) {
      HF_CHECK_OK(look(0));
      if (!root_counts(snapshot_, d_, root)) continue;
      const std::uint32_t v = root.object.value;
      const std::uint64_t bit = std::uint64_t{1} << (v & 63);
      const bool first = (rooted[v >> 6] & bit) == 0;
      rooted[v >> 6] |= bit;
      if (first && root.kind != RootKind::kSystemClass && d_.retained_bytes[v] >= least)
        candidates_[v >> 6] |= bit;
      else
        candidates_[v >> 6] &= ~bit;
    }
    return {};
  }

  Result<void> count_references(TopDegrees& out) noexcept {
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v) {
      const std::uint32_t first = snapshot_.first_ref[v];
      const std::uint32_t end = snapshot_.first_ref[v + 1];
      HF_CHECK_OK(look(end - first));
      const std::uint32_t position = d_.position[v];
      if (position == ObjectId::kNoneValue) continue;
      const ClassReferences& row = references_.of(v);
      std::uint32_t degree = 0;
      for (std::uint32_t i = first; i < end; ++i) {
        if (i + kNodesAhead < snapshot_.target.size())
          prefetch(&referrers_[snapshot_.target[i + kNodesAhead].value]);
        if (row.mixed && !holds(i)) continue;
        ++degree;
        const std::uint32_t w = snapshot_.target[i].value;
        ++referrers_[w];
        if (is_candidate(w) && d_.idom[w] != v) meet_holder(w, position);
      }
      if (row.class_object != ObjectId::kNoneValue && row.class_object != v &&
          is_candidate(row.class_object))
        meet_holder(row.class_object, position);
      out.offer(degree, v);
    }
    return {};
  }

  // What lies below an object, or is the object itself, holds nothing of it.
  void meet_holder(std::uint32_t object, std::uint32_t holder_position) noexcept {
    const std::uint32_t position = d_.position[object];
    if (!holder_counts(d_, holder_position, position)) return;
    if (holder_position - position >= d_.subtree_objects[position])
      candidates_[object >> 6] &= ~(std::uint64_t{1} << (object & 63));
  }

  Result<void> rank_referrers(TopDegrees& in) noexcept {
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v) {
      HF_CHECK_OK(look(0));
      in.offer(referrers_[v], v);
    }
    return {};
  }

  std::span<const ImportantObject> list(std::span<const Ranked> ranked,
                                        std::span<ImportantObject> rows) const noexcept {
    for (std::size_t i = 0; i < ranked.size(); ++i) {
      const ObjectId object{ranked[i].object};
      rows[i] = {object,
                 references_of(object.value),
                 referrers_[object.value],
                 snapshot_.shallow_bytes(object),
                 d_.retained_bytes[object.value],
                 is_articulation(object)};
    }
    return rows.first(ranked.size());
  }

  std::uint32_t references_of(std::uint32_t object) const noexcept {
    std::uint32_t count = 0;
    for (std::uint32_t i = snapshot_.first_ref[object]; i < snapshot_.first_ref[object + 1]; ++i)
      count += holds(i) ? 1 : 0;
    return count;
  }

  void note_roots() noexcept {
    for (std::uint32_t r = 0; r < snapshot_.roots.size(); ++r)
      if (root_counts(snapshot_, d_, snapshot_.roots[r]))
        referrers_[snapshot_.roots[r].object.value] = r;
  }

  bool holds(std::uint32_t i) const noexcept {
    return (input_.holding & strength_bit(strength_of(snapshot_.label[i]))) != 0;
  }
  bool is_candidate(std::uint32_t object) const noexcept {
    return (candidates_[object >> 6] >> (object & 63) & 1u) != 0;
  }
  bool is_articulation(ObjectId object) const noexcept {
    return input_.condensation != nullptr && input_.biconnected != nullptr &&
           input_.biconnected->is_articulation(
               input_.condensation->components.component[object.value]);
  }

  const ImportantNodesInput& input_;
  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const Dominators& d_;
  const CancelToken& cancel_;
  std::span<std::uint32_t>
      referrers_;  // [n] by object; in the end the root record of each root object
  std::span<std::uint64_t> candidates_;  // a bit an object
  std::uint64_t steps_ = 0;
};

Result<ImportantNodes> find_nodes(const ImportantNodesInput& input,
                                  const ImportantNodesLimits& limits, Arena& arena,
                                  const CancelToken& cancel) noexcept {
  const std::uint32_t held = input.dominators.held_objects;
  const std::uint32_t objects = std::min(limits.objects, held);
  ImportantNodes found;
  HF_TRY(most_references, arena.make_filled<ImportantObject>(objects, ImportantObject{}));
  HF_TRY(most_referrers, arena.make_filled<ImportantObject>(objects, ImportantObject{}));
  HF_TRY(cuts, arena.make_filled<Cut>(std::min(limits.cuts, held), Cut{}));
  ArenaScope scratch(arena);
  HF_CHECK_OK(
      ReferenceSurvey(input, cancel).run(found, most_references, most_referrers, cuts, arena));
  return found;
}

}  // namespace

Result<ImportantNodes> important_nodes(const ImportantNodesInput& input,
                                       const ImportantNodesLimits& limits, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = find_nodes(input, limits, arena, cancel);
  if (!found) arena.rewind(before);
  return found;
}

}  // namespace holdfast::analysis
