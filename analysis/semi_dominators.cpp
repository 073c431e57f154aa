#include "analysis/semi_dominators.h"

#include <algorithm>

#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint64_t kWalkBudgetPerObject = 4;  // ordinary heaps need about 1

constexpr std::uint32_t kStoredAhead = 16;  // stored references between the prefetch and the use

// in_start[v] .. in_start[v + 1]: the sources of stored references to v, in `sources`.
Result<void> turn_round(DominatorArrays& a, std::span<std::uint32_t> sources,
                        const CancelToken& cancel) noexcept {
  const std::uint32_t h = a.held;
  std::fill_n(a.in_start.begin(), h + 2, 0u);
  for (const std::uint32_t target : a.cross) ++a.in_start[target];
  std::uint32_t sum = 0;
  for (std::uint32_t v = 0; v <= h; ++v) {
    sum += a.in_start[v];
    a.in_start[v] = sum;  // the end for now; filled from the back
  }
  a.in_start[h + 1] = sum;
  return backward_in_strides(1, h + 1, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t u = to; u-- > from;)
      for (std::uint32_t i = a.cross_start[u]; i < a.cross_start[u + 1]; ++i)
        sources[--a.in_start[a.cross[i]]] = u;
  });
}

// The smallest semidominator on the linked part of the tree path that ends in u: the objects numbered above v.
std::uint32_t smallest_above(std::span<LinkPair> pair, std::uint32_t u, std::uint32_t v) noexcept {
  LinkPair at = pair[u];
  std::uint32_t smallest = at.minimum;
  while (at.ancestor > v) {
    const LinkPair above = pair[at.ancestor];
    at.minimum = std::min(at.minimum, above.minimum);
    at.ancestor = above.ancestor;
    pair[u] = at;  // halved: the path now skips one
    smallest = std::min(smallest, at.minimum);
    if (at.ancestor <= v) break;
    u = at.ancestor;
    at = pair[u];
    smallest = std::min(smallest, at.minimum);
  }
  return smallest;
}

// An ancestor's depth and a far ancestor of it, so that every walk up takes O(log h) steps.
struct Jump {
  std::uint32_t depth;
  std::uint32_t to;
};

Jump jump_below(std::span<const LinkPair> jumps, std::uint32_t above) noexcept {
  const std::uint32_t far = jumps[above].minimum;
  const std::uint32_t farther = jumps[far].minimum;
  const std::uint32_t depth = jumps[above].ancestor;
  const bool equal_steps =
      depth - jumps[far].ancestor == jumps[far].ancestor - jumps[farther].ancestor;
  return {depth + 1, equal_steps ? farther : above};
}

std::uint32_t walk(std::span<const std::uint32_t> idom, std::uint32_t from, std::uint32_t limit,
                   std::uint64_t& steps) noexcept {
  while (from > limit) {
    from = idom[from];
    ++steps;
  }
  return from;
}

std::uint32_t jump(std::span<const std::uint32_t> idom, std::span<const LinkPair> jumps,
                   std::uint32_t from, std::uint32_t limit) noexcept {
  while (from > limit) from = jumps[from].minimum > limit ? jumps[from].minimum : idom[from];
  return from;
}

// A pair holds {depth, jump} from here on.
void add_jump(std::span<LinkPair> jumps, std::uint32_t v, std::uint32_t idom) noexcept {
  const Jump made = jump_below(jumps, idom);
  jumps[v] = {made.depth, made.to};
}

// From object `first` on, with jump pointers.
Result<void> jump_from(DominatorArrays& a, std::uint32_t first,
                       const CancelToken& cancel) noexcept {
  a.pair[0] = {0, 0};
  HF_CHECK_OK(forward_in_strides(1, first, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t v = from; v < to; ++v) add_jump(a.pair, v, a.parent[v]);
  }));
  return forward_in_strides(first, a.held + 1, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t v = from; v < to; ++v) {
      a.parent[v] = jump(a.parent, a.pair, a.parent[v], a.semi[v]);
      add_jump(a.pair, v, a.parent[v]);
    }
  });
}

}  // namespace

Result<void> find_semi_dominators(DominatorArrays& a, Arena& arena,
                                  const CancelToken& cancel) noexcept {
  HF_TRY(sources, arena.make<std::uint32_t>(a.cross.size()));
  hint_huge_pages(std::as_writable_bytes(sources));
  HF_CHECK_OK(turn_round(a, sources, cancel));
  return backward_in_strides(1, a.held + 1, cancel, [&](std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t v = to; v-- > from;) {
      std::uint32_t smallest = a.semi[v];
      const std::uint32_t end = a.in_start[v + 1];
      if (a.in_start[v] >= kStoredAhead) prefetch(&a.pair[sources[a.in_start[v] - kStoredAhead]]);
      for (std::uint32_t i = a.in_start[v]; i < end && smallest != 0; ++i)
        smallest = std::min(smallest, smallest_above(a.pair, sources[i], v));
      a.semi[v] = smallest;
      a.pair[v] = {a.parent[v], smallest};
    }
  });
}

Result<WalkOutcome> find_immediate_dominators(DominatorArrays& a,
                                              const CancelToken& cancel) noexcept {
  const std::uint64_t budget = kWalkBudgetPerObject * a.held;
  WalkOutcome outcome;
  for (std::uint32_t v = 1; v <= a.held; ++v) {
    if (v % DominatorArrays::kCancelStride == 0) HF_CHECK_OK(cancel.check());
    if (outcome.steps > budget) {
      outcome.jump_pointers = true;
      HF_CHECK_OK(jump_from(a, v, cancel));
      return outcome;
    }
    a.parent[v] = walk(a.parent, a.parent[v], a.semi[v], outcome.steps);
  }
  return outcome;
}

}  // namespace holdfast::analysis
