// The reachable size of every object: its own bytes and those of all objects that it reaches.
// Why: what two objects share is retained by neither. A buffer and a list of the same objects look small by retained size ([Thesis],
//      chapter 2, figure 2.3); their reachable sizes show them.
// How:    all objects of a component reach the same, so nodes of the condensation are what is asked about. With dominators entered at the
//         nodes without referrers:
//           reachable(v) == retained(v) + the sum of retained(x) over the x that v reaches and whose immediate dominator is a proper ancestor of v
//         for what v reaches is v's dominator subtree and those of such x, whole and apart: take a node that v reaches, go up its dominators as
//         long as v reaches them; the next one up lies on every way to v, so it is an ancestor of v. Such an x has another referrer than its
//         immediate dominator: sharing_graph.h folds all the rest, shared_lanes.h and lane_spread.h find who reaches which x.
//         What time or memory do not allow is estimated (reachable_estimate.h) and marked, node by node; the rest stays exact.
// Shape:  bytes[nodes]: 8 B a node. Scratch 32 B a node + 8 a reference of the condensation + what lane_spread.h takes, at most kMostLines * members;
//         docs/decisions/080-reachable-sizes.md has what it takes on heaps.
//         O(nodes + references) beside the spreading, whose worst case is lanes / 448 rounds over all members.
// Zone:   worker, offline, child.
// Errors: kCancelled; kOutOfBudget, kDeadline: not even the coarsest estimate fits. The arena is then as before.
// Source: [Thesis], chapters 2 and 4 ("dynamic size"); the identity is proven above and tested against breadth-first search.
#pragma once

#include "analysis/reachable/condensation.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct ReachableLimits {
  // For the exact way; 0: estimate everything that is shared. A deadline of the token bounds it besides, and the estimate as well.
  std::uint64_t wall_ns = UINT64_MAX;
  std::uint32_t ranks = 128;  // of the estimate; more are more exact
  // Called once some rounds say how long the rest will take, and again where it turns out otherwise. CPU time from now on.
  void (*expect)(void* context, std::uint64_t ns) noexcept = nullptr;
  void* expect_context = nullptr;
};

struct ReachableWork {  // how hard it was: for tests, benchmarks and the report
  std::uint32_t members = 0, shared = 0, lanes = 0, lanes_left = 0;
  std::uint64_t bits = 0, visits = 0, parts = 0;
};

struct ReachableSizes {
  std::span<const std::uint32_t> component;  // [objects] the node of each
  std::span<const std::uint64_t> bytes;      // [nodes]
  std::span<const std::uint64_t> estimated;  // a bit a node; empty: every size is exact
  std::uint32_t estimated_objects = 0;
  EstimateReason reason = EstimateReason::kNone;
  double standard_error = 0;  // of an estimated size, as a share of it
  ReachableWork work;

  std::uint64_t of(ObjectId v) const noexcept { return bytes[component[v.value]]; }
  bool is_estimate(ObjectId v) const noexcept {
    const std::uint32_t node = component[v.value];
    return !estimated.empty() && (estimated[node >> 6] >> (node & 63) & 1u) != 0;
  }
};

Result<ReachableSizes> reachable_sizes(const Condensation& condensation,
                                       const ReachableLimits& limits, Arena& arena,
                                       const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
