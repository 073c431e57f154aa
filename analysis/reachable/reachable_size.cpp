#include "analysis/reachable/reachable_size.h"

#include <algorithm>

#include "analysis/reachable/lane_spread.h"
#include "analysis/reachable/reachable_estimate.h"
#include "platforms/clock.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kFewestLines = 4096;  // a chain of shared nodes needs no more than some

bool has_bit(std::span<const std::uint64_t> set, std::uint32_t i) noexcept {
  return (set[i >> 6] >> (i & 63) & 1u) != 0;
}
void put_bit(std::span<std::uint64_t> set, std::uint32_t i) noexcept {
  set[i >> 6] |= std::uint64_t{1} << (i & 63);
}

// What is not exact: a bit a lane that was not spread to the end, then a bit a node whose size lacks something.
struct Gaps {
  std::span<std::uint64_t> lanes;
  std::uint32_t lanes_left = 0;
  EstimateReason reason = EstimateReason::kNone;
};

// How the time until the token's deadline is shared: half for the exact way, what is left of four fifths for the estimate, and the
// rest for whoever sums up.
class TimeShares {
 public:
  TimeShares(const CancelToken& cancel, std::uint64_t exact_wall_ns) noexcept
      : end_ns_(cancel.deadline_ns()), exact_wall_ns_(exact_wall_ns) {}
  std::uint64_t prepared_by() const noexcept { return part(1, 2); }
  std::uint64_t exact_by() const noexcept {
    return std::min(part(1, 2), exact_wall_ns_ > UINT64_MAX - began_ns_
                                    ? UINT64_MAX
                                    : began_ns_ + exact_wall_ns_);
  }
  std::uint64_t estimated_by() const noexcept { return part(4, 5); }

 private:
  std::uint64_t part(std::uint64_t shares, std::uint64_t of) const noexcept {
    if (end_ns_ == UINT64_MAX) return UINT64_MAX;
    return began_ns_ + (std::max(end_ns_, began_ns_) - began_ns_) / of * shares;
  }
  std::uint64_t began_ns_ = platforms::monotonic_ns();
  std::uint64_t end_ns_, exact_wall_ns_;
};

// As many lines as there is memory for; twice the members is more than any heap took.
Result<LaneSpread> make_spread(const SharingGraph& graph, const SharedLanes& lanes,
                               Arena& arena) noexcept {
  std::uint32_t lines = 2 * graph.member_count() + kFewestLines;
  while (true) {
    const Arena::Mark before = arena.mark();
    auto made = LaneSpread::make(graph, lanes, lines, arena);
    if (made || lines <= kFewestLines) return made;
    arena.rewind(before);
    lines /= 2;
  }
}

// Spreads all lanes, a round at a time. A round that runs out of lines goes on in halves; what is too large even for one lane is left.
class Spreading {
 public:
  Spreading(const SharedLanes& lanes, LaneSpread& spread, std::span<std::uint64_t> sums, Gaps& gaps,
            const ReachableLimits& limits, const CancelToken& cancel) noexcept
      : lanes_(lanes),
        spread_(spread),
        sums_(sums),
        gaps_(gaps),
        limits_(limits),
        cancel_(cancel) {}

  Result<void> run() noexcept {
    for (std::uint32_t first = 0; first < lanes_.lane_count(); first += LaneSpread::kRoundLanes) {
      const std::uint32_t lanes = std::min(LaneSpread::kRoundLanes, lanes_.lane_count() - first);
      open_[open_count_++] = {first, lanes, 0};
      while (open_count_ > 0) HF_CHECK_OK(one(open_[--open_count_]));
      expect_rest(first + lanes);
    }
    return {};
  }

 private:
  // Rounds cost alike. The first answer comes soon; later ones where they differ by half.
  void expect_rest(std::uint32_t lanes_done) noexcept {
    if (limits_.expect == nullptr) return;
    const std::uint64_t spent_ns = platforms::thread_cpu_ns() - began_cpu_ns_;
    if (spent_ns < kSoonNs) return;
    const double share = static_cast<double>(lanes_.lane_count()) / lanes_done;
    const auto all_ns = static_cast<std::uint64_t>(static_cast<double>(spent_ns) * share);
    if (all_ns > expected_ns_ - expected_ns_ / 3 && all_ns < expected_ns_ + expected_ns_ / 2)
      return;
    expected_ns_ = all_ns;
    limits_.expect(limits_.expect_context, all_ns - spent_ns);
  }

  Result<void> one(SpreadRound round) noexcept {
    Result<void> done = cancel_.check();
    if (done) done = spread_.run(round, sums_, cancel_);
    if (done || done.error().code == ErrorCode::kCancelled) return done;
    if (done.error().code == ErrorCode::kOutOfBudget && round.lanes > 1) {
      const std::uint32_t from = std::max(round.first_member, spread_.reached());
      const std::uint32_t half = round.lanes / 2;
      open_[open_count_++] = {round.first_lane + half, round.lanes - half, from};
      open_[open_count_++] = {round.first_lane, half, from};
      return {};
    }
    leave(round, done.error().code == ErrorCode::kDeadline ? EstimateReason::kTime
                                                           : EstimateReason::kMemory);
    return {};
  }

  void leave(const SpreadRound& round, EstimateReason reason) noexcept {
    gaps_.reason = reason;
    gaps_.lanes_left += round.lanes;
    for (std::uint32_t i = 0; i < round.lanes; ++i) put_bit(gaps_.lanes, round.first_lane + i);
  }

  static constexpr std::size_t kMostOpen = 32;  // halves of halves: two for each bit of kRoundLanes
  static_assert(LaneSpread::kRoundLanes < 1u << (kMostOpen / 2 - 1));
  const SharedLanes& lanes_;
  LaneSpread& spread_;
  std::span<std::uint64_t> sums_;
  Gaps& gaps_;
  const ReachableLimits& limits_;
  const CancelToken& cancel_;
  static constexpr std::uint64_t kSoonNs = 20'000'000;
  std::uint64_t began_cpu_ns_ = platforms::thread_cpu_ns();
  std::uint64_t expected_ns_ = 0;
  SpreadRound open_[kMostOpen];
  std::size_t open_count_ = 0;
};

// For each member the highest immediate dominator of a shared node whose lane is left: of those that it reaches, and of itself.
struct LeftOver {
  std::span<std::uint32_t> reached, own;  // 0: none
  bool of_set(std::uint32_t member) const noexcept { return (reached[member] | own[member]) != 0; }
};

Result<LeftOver> find_left_over(const SharingGraph& graph, const SharedLanes& lanes,
                                const DagDominators& dominators, const Gaps& gaps,
                                Arena& arena) noexcept {
  LeftOver left;
  HF_TRY(reached, arena.make_filled<std::uint32_t>(graph.member_count(), 0));
  HF_TRY(own, arena.make_filled<std::uint32_t>(graph.member_count(), 0));
  for (std::uint32_t m = 0; m < graph.member_count(); ++m) {
    const std::uint32_t place = lanes.place_of[m];
    if (place != SharingGraph::kNone && has_bit(gaps.lanes, place >> SharedLanes::kPlaceShift))
      own[m] = dominators.idom[graph.node[m]];
    const std::uint32_t highest = std::max(own[m], reached[m]);
    for (const std::uint32_t r : graph.referrers(m))
      if (highest > graph.node[r]) reached[r] = std::max(reached[r], highest);
  }
  left.reached = reached;
  left.own = own;
  return left;
}

// Everything that the exact way is made of, in the scratch part of the arena.
class Exact {
 public:
  Exact(const Condensation& condensation, Arena& arena) noexcept
      : c_(condensation), arena_(arena) {}

  Result<void> prepare(const CancelToken& cancel) noexcept {
    HF_TRY(dominators, dag_dominators(c_, arena_, cancel));
    dominators_ = dominators;
    HF_TRY(graph, make_sharing_graph(c_, dominators_, arena_, cancel));
    graph_ = graph;
    HF_TRY(lanes, make_shared_lanes(graph_, dominators_, arena_, cancel));
    lanes_ = lanes;
    HF_TRY(sums, arena_.make_filled<std::uint64_t>(graph_.member_count(), 0));
    sums_ = sums;
    HF_TRY(left, arena_.make_filled<std::uint64_t>(lanes_.lane_count() / 64 + 1, 0));
    gaps_.lanes = left;
    return {};
  }

  Result<void> spread(const ReachableLimits& limits, const CancelToken& cancel) noexcept {
    ArenaScope scratch(arena_);
    HF_TRY(spread, make_spread(graph_, lanes_, arena_));
    HF_CHECK_OK(Spreading(lanes_, spread, sums_, gaps_, limits, cancel).run());
    work_.visits = spread.visits();
    work_.parts = spread.parts();
    return {};
  }

  void fill(std::span<std::uint64_t> bytes) const noexcept {
    for (std::uint32_t v = 0; v < c_.count(); ++v)
      bytes[v] = dominators_.retained_bytes[v] + outside_bytes(v);
  }

  Result<void> mark_gaps(std::span<std::uint64_t> estimated) noexcept {
    ArenaScope scratch(arena_);
    HF_TRY(left, find_left_over(graph_, lanes_, dominators_, gaps_, arena_));
    for (std::uint32_t v = 0; v < c_.count(); ++v) {
      const std::uint32_t member = graph_.outside[v];
      if (member == SharingGraph::kNone) continue;
      if (graph_.node[member] == v ? left.reached[member] != 0 : left.of_set(member))
        put_bit(estimated, v);
    }
    return {};
  }

  const Gaps& gaps() const noexcept { return gaps_; }
  ReachableWork work() const noexcept {
    ReachableWork work = work_;
    work.members = graph_.member_count();
    work.shared = graph_.shared_count;
    work.lanes = lanes_.lane_count();
    work.lanes_left = gaps_.lanes_left;
    work.bits = lanes_.bit_bytes.size();
    return work;
  }

 private:
  // What v reaches beside its dominator subtree. A node that is folded into a shared one reaches that, too.
  std::uint64_t outside_bytes(std::uint32_t v) const noexcept {
    const std::uint32_t member = graph_.outside[v];
    if (member == SharingGraph::kNone) return 0;
    const bool own = graph_.node[member] == v || !graph_.is_shared(member);
    return sums_[member] + (own ? 0 : dominators_.retained_bytes[graph_.node[member]]);
  }

  const Condensation& c_;
  Arena& arena_;
  DagDominators dominators_;
  SharingGraph graph_;
  SharedLanes lanes_;
  std::span<std::uint64_t> sums_;
  Gaps gaps_;
  ReachableWork work_;
};

// Sizes as far as they were found, and which nodes lack something.
Result<void> find_exact(const Condensation& c, const ReachableLimits& limits,
                        const TimeShares& time, std::span<std::uint64_t> bytes,
                        std::span<std::uint64_t> estimated, ReachableSizes& made, Arena& arena,
                        const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  Exact exact(c, arena);
  HF_CHECK_OK(exact.prepare(CancelToken(cancel, time.prepared_by())));
  HF_CHECK_OK(exact.spread(limits, CancelToken(cancel, time.exact_by())));
  exact.fill(bytes);
  if (exact.gaps().lanes_left > 0) HF_CHECK_OK(exact.mark_gaps(estimated));
  made.reason = exact.gaps().reason;
  made.work = exact.work();
  return {};
}

// Without memory or time for the exact way: what has no references is known all the same.
void estimate_all(const Condensation& c, std::span<std::uint64_t> bytes,
                  std::span<std::uint64_t> estimated) noexcept {
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    bytes[v] = c.shallow_bytes[v];
    if (!c.row(v).empty()) put_bit(estimated, v);
  }
}

std::uint32_t objects_in(const Condensation& c, std::span<const std::uint64_t> nodes) noexcept {
  std::uint32_t objects = 0;
  for (std::uint32_t v = 0; v < c.count(); ++v)
    if (has_bit(nodes, v)) objects += c.components.objects[v];
  return objects;
}

Result<ReachableSizes> find_sizes(const Condensation& c, const ReachableLimits& limits,
                                  Arena& arena, const CancelToken& cancel) noexcept {
  const TimeShares time(cancel, limits.wall_ns);
  ReachableSizes made;
  made.component = c.components.component;
  HF_TRY(bytes, arena.make<std::uint64_t>(c.count()));
  HF_TRY(estimated, arena.make_filled<std::uint64_t>(std::size_t{c.count()} / 64 + 1, 0));
  const Result<void> exact = find_exact(c, limits, time, bytes, estimated, made, arena, cancel);
  if (!exact) {
    if (exact.error().code == ErrorCode::kCancelled) return exact.error();
    estimate_all(c, bytes, estimated);
    made.reason = exact.error().code == ErrorCode::kDeadline ? EstimateReason::kTime
                                                             : EstimateReason::kMemory;
  }
  made.bytes = bytes;
  if (made.reason == EstimateReason::kNone) return made;
  HF_TRY(ranks, estimate_reachable(c, estimated, {limits.ranks, time.estimated_by()}, bytes, arena,
                                   cancel));
  made.estimated = estimated;
  made.estimated_objects = objects_in(c, estimated);
  made.standard_error = estimate_standard_error(ranks);
  return made;
}

}  // namespace

Result<ReachableSizes> reachable_sizes(const Condensation& condensation,
                                       const ReachableLimits& limits, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto made = find_sizes(condensation, limits, arena, cancel);
  if (!made) arena.rewind(before);
  return made;
}

}  // namespace holdfast::analysis
