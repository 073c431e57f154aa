// How many of what server_like() makes, so that the sums are those of a row of the tables.
// Why apart: all equations between the numbers stand in one place.
// Shape:  node kinds (server_like.h says how they refer to each other):
//         largest == 1 + 2 * holders + heads + members; every member has a holding object and its leaf of its own.
//         components == 1 + 2 * members + upper_components + dominating (roots and cycles included) + sharing (roots included)
//                       + sink_cycles + all other leaves.
// Zone:   offline.   Errors: std::invalid_argument when the numbers of a shape contradict each other.
#pragma once

#include <vector>

#include "analysis/lab/thesis/server_shapes.h"

namespace holdfast::analysis::lab {

struct ServerPlan {
  // In the largest component.
  std::uint32_t holders = 0;
  std::uint32_t heads = 0;
  std::uint32_t members = 0;
  // Above it.
  std::uint32_t upper_components = 0;
  std::vector<std::uint32_t> upper_cycles;
  // The other cycles: nodes of each. The last sink_cycles of them refer to nothing, cycle_roots before these are roots.
  std::vector<std::uint32_t> cycles;
  std::uint32_t huge_cycles = 0;   // in front: reach 100 KB and more
  std::uint32_t large_cycles = 0;  // behind them: 10 KB and more
  std::uint32_t cycle_roots = 0;
  std::uint32_t sink_cycles = 0;
  // Single nodes.
  std::uint32_t isolated_roots = 0;
  std::uint32_t sharing_roots = 0;
  std::uint32_t dominating_roots = 0;
  std::uint32_t dominating = 0;      // no roots and no cycles
  std::uint32_t sharing = 0;         // no roots
  std::uint32_t sharing_1kb = 0;     // of them: with more than 1 KB
  std::uint32_t private_leaves = 0;  // of sharing ones
  std::uint32_t small_shared = 0;    // leaves that several refer to
  std::uint32_t large_shared = 0;
  std::uint32_t dominated_leaves = 0;
};

ServerPlan plan_of(const ServerShape& shape);

}  // namespace holdfast::analysis::lab
