#include "analysis/reachable/sharing_graph.h"

#include <algorithm>

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

// A bit a node.
class NodeBits {
 public:
  static Result<NodeBits> make(std::size_t count, Arena& arena) noexcept {
    HF_TRY(words, arena.make_filled<std::uint64_t>((count + 63) / 64, 0));
    return NodeBits(words);
  }
  bool get(std::uint32_t i) const noexcept { return (words_[i >> 6] >> (i & 63) & 1u) != 0; }
  void set(std::uint32_t i) noexcept { words_[i >> 6] |= std::uint64_t{1} << (i & 63); }
  std::span<const std::uint64_t> words() const noexcept { return words_; }

 private:
  explicit NodeBits(std::span<std::uint64_t> words) noexcept : words_(words) {}
  std::span<std::uint64_t> words_;
};

// Nodes with two or more referrers, and their immediate dominators.
struct SharedNodes {
  NodeBits shared, dominates_shared;
};

Result<SharedNodes> find_shared(const Condensation& c, const DagDominators& dominators,
                                Arena& arena, const CancelToken& cancel) noexcept {
  HF_TRY(shared, NodeBits::make(c.count(), arena));
  HF_TRY(dominates_shared, NodeBits::make(c.count(), arena));
  HF_TRY(referred, NodeBits::make(c.count(), arena));
  for (std::size_t i = 0; i < c.target.size(); ++i) {
    if (i % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    const std::uint32_t t = c.target[i];
    if (!referred.get(t)) {
      referred.set(t);
    } else if (!shared.get(t)) {
      shared.set(t);
      if (dominators.idom[t] != DagDominators::kRoot) dominates_shared.set(dominators.idom[t]);
    }
  }
  return SharedNodes{shared, dominates_shared};
}

class Folding {
 public:
  Folding(const Condensation& condensation, const DagDominators& dominators,
          const SharedNodes& shared) noexcept
      : c_(condensation), dominators_(dominators), nodes_(shared) {}

  Result<void> run(Arena& arena, const CancelToken& cancel) noexcept {
    HF_CHECK_OK(make_arrays(arena));
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel.check());
      place(v);
    }
    first_referent_[members_] = edges_;
    return {};
  }

  // Referents turned round into referrers.
  Result<SharingGraph> finish(Arena& arena, const CancelToken& cancel) noexcept {
    SharingGraph made;
    HF_TRY(first_referrer, arena.make_filled<std::uint32_t>(std::size_t{members_} + 2, 0));
    HF_TRY(referrer, arena.make<std::uint32_t>(edges_));
    HF_TRY(shared, NodeBits::make(members_, arena));
    for (std::uint32_t e = 0; e < edges_; ++e) ++first_referrer[referent_[e] + 2];
    for (std::uint32_t m = 0; m < members_; ++m) first_referrer[m + 2] += first_referrer[m + 1];
    for (std::uint32_t m = 0; m < members_; ++m) {
      if (m % kCancelStride == 0) HF_CHECK_OK(cancel.check());
      for (std::uint32_t e = first_referent_[m]; e < first_referent_[m + 1]; ++e)
        referrer[first_referrer[referent_[e] + 1]++] = m;
      if (!nodes_.shared.get(node_[m])) continue;
      shared.set(m);
      ++made.shared_count;
    }
    made.outside = outside_;
    made.node = node_.first(members_);
    made.first_referrer = first_referrer.first(std::size_t{members_} + 1);
    made.referrer = referrer;
    made.shared = shared.words();
    return made;
  }

 private:
  Result<void> make_arrays(Arena& arena) noexcept {
    const std::size_t n = c_.count();
    HF_TRY(outside, arena.make<std::uint32_t>(n));
    HF_TRY(node, arena.make<std::uint32_t>(n));
    HF_TRY(highest, arena.make<std::uint32_t>(n));
    HF_TRY(listed_by, arena.make<std::uint32_t>(n));
    HF_TRY(first_referent, arena.make<std::uint32_t>(n + 1));
    HF_TRY(referent, arena.make<std::uint32_t>(c_.target.size()));
    outside_ = outside;
    node_ = node;
    highest_ = highest;
    listed_by_ = listed_by;
    first_referent_ = first_referent;
    referent_ = referent;
    return {};
  }

  // All referents of v have been placed.
  void place(std::uint32_t v) noexcept {
    const std::uint32_t first = edges_;
    std::uint32_t highest = 0;
    for (const std::uint32_t w : c_.row(v)) {
      const std::uint32_t member = outside_[w];
      if (member == SharingGraph::kNone || highest_[member] <= v || listed_by_[member] == v)
        continue;
      listed_by_[member] = v;
      referent_[edges_++] = member;
      highest = std::max(highest, highest_[member]);
    }
    const bool shared = nodes_.shared.get(v);
    const std::uint32_t sets = edges_ - first;
    if (!shared && (sets == 0 || (sets == 1 && !nodes_.dominates_shared.get(v)))) {
      outside_[v] = sets == 0 ? SharingGraph::kNone : referent_[first];
      edges_ = first;
      return;
    }
    if (shared) highest = std::max(highest, dominators_.idom[v]);
    outside_[v] = members_;
    node_[members_] = v;
    highest_[members_] = highest;
    listed_by_[members_] = SharingGraph::kNone;
    first_referent_[members_++] = first;
  }

  const Condensation& c_;
  const DagDominators& dominators_;
  const SharedNodes& nodes_;
  std::span<std::uint32_t> outside_, node_;
  std::span<std::uint32_t> highest_;    // by member: the highest immediate dominator of its set
  std::span<std::uint32_t> listed_by_;  // by member: the last node that has listed it
  std::span<std::uint32_t> first_referent_, referent_;
  std::uint32_t members_ = 0;
  std::uint32_t edges_ = 0;
};

}  // namespace

Result<SharingGraph> make_sharing_graph(const Condensation& condensation,
                                        const DagDominators& dominators, Arena& arena,
                                        const CancelToken& cancel) noexcept {
  HF_TRY(shared, find_shared(condensation, dominators, arena, cancel));
  Folding folding(condensation, dominators, shared);
  HF_CHECK_OK(folding.run(arena, cancel));
  return folding.finish(arena, cancel);
}

}  // namespace holdfast::analysis
