#include "analysis/cuts/dominating_points.h"

#include <algorithm>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kPointsAhead = 32;  // references between the prefetch and the use
static_assert(DagDominators::kRoot > kMaxObjects, "the virtual root counts as above every node");

// highest[v]: the highest immediate dominator of v and of all that v reaches. v dominates what it reaches exactly when none of what it
// reaches has an immediate dominator above v:
//   A dominated x != v has its immediate dominator at v or below it, so its number is at most v's.
//   Otherwise let y be the first node on a way from v that v does not dominate: what dominates y immediately dominates the node
//   before y, too, as v does, so one of the two dominates the other; were it v or below v, v would dominate y; so it is above v.
Result<std::uint32_t> mark_points(const Condensation& c, const DagDominators& dominators,
                                  std::span<std::uint32_t> highest,
                                  std::span<std::uint64_t> dominating,
                                  const CancelToken& cancel) noexcept {
  std::uint32_t points = 0;
  std::uint64_t steps = 0;
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    const std::uint32_t first = c.first_ref[v];
    const std::uint32_t end = c.first_ref[v + 1];
    steps += std::uint64_t{end - first} + 1;
    if (steps >= kCancelStride) {
      steps = 0;
      HF_CHECK_OK(cancel.check());
    }
    std::uint32_t reached = 0;
    for (std::uint32_t i = first; i < end; ++i) {
      if (i + kPointsAhead < c.target.size()) prefetch(&highest[c.target[i + kPointsAhead]]);
      reached = std::max(reached, highest[c.target[i]]);
    }
    if (first < end && reached <= v) {
      dominating[v >> 6] |= std::uint64_t{1} << (v & 63);
      ++points;
    }
    highest[v] = std::max(reached, dominators.idom[v]);
  }
  return points;
}

Result<DominatingPoints> find_points(const Condensation& condensation,
                                     const DagDominators& dominators, Arena& arena,
                                     const CancelToken& cancel) noexcept {
  const std::size_t words = (std::size_t{condensation.count()} + 63) / 64;
  HF_TRY(dominating, arena.make_filled<std::uint64_t>(words, 0));
  ArenaScope scratch(arena);
  HF_TRY(highest, arena.make<std::uint32_t>(condensation.count()));
  HF_TRY(points, mark_points(condensation, dominators, highest, dominating, cancel));
  return DominatingPoints{dominating, points};
}

}  // namespace

Result<DominatingPoints> dominating_points(const Condensation& condensation,
                                           const DagDominators& dominators, Arena& arena,
                                           const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = find_points(condensation, dominators, arena, cancel);
  if (!found) arena.rewind(before);
  return found;
}

}  // namespace holdfast::analysis
