#include "analysis/lab/thesis/server_plan.h"

#include <algorithm>
#include <stdexcept>

namespace holdfast::analysis::lab {

namespace {

constexpr std::uint32_t kMembersOfHolder =
    60'000;  // the tables' widest dominator has 92,735 children
constexpr std::uint32_t kNodesOfHugeCycle = 2'800;
constexpr std::uint32_t kNodesOfLargeCycle = 420;
constexpr std::uint32_t kNodesOfLongList = 331;  // the tables' dominator tree is 337 high
constexpr std::uint32_t kUpperCycles = 3;

// a - b - ..., which must not be negative.
template <class... More>
std::uint32_t left(const char* of, std::uint32_t from, More... taken) {
  const std::int64_t rest = std::int64_t{from} - (std::int64_t{taken} + ... + 0);
  if (rest < 0) throw std::invalid_argument(of);
  return static_cast<std::uint32_t>(rest);
}

void append_equal(std::vector<std::uint32_t>& sizes, std::uint32_t count, std::uint32_t total) {
  for (std::uint32_t i = 0; i < count; ++i)
    sizes.push_back(total / count + (i < total % count ? 1 : 0));
}

void plan_largest(const ServerShape& shape, ServerPlan& plan) {
  plan.holders = 1 + shape.largest / kMembersOfHolder;
  plan.heads = 1 + shape.leaves / kMembersOfHolder;
  plan.members = left("largest component", shape.largest, 1u, 2 * plan.holders, plan.heads);
}

// About three nodes in a component above the largest one: most of them in three cycles.
void plan_upper(const ServerShape& shape, ServerPlan& plan) {
  plan.upper_components = std::max(shape.above_largest * 37 / 100, 2 * shape.largest_height);
  const std::uint32_t in_cycles =
      left("nodes above the largest component", shape.above_largest, plan.upper_components) +
      kUpperCycles;
  if (in_cycles < 2 * kUpperCycles)
    throw std::invalid_argument("nodes above the largest component");
  append_equal(plan.upper_cycles, kUpperCycles, in_cycles);
}

// What is in cycles at all follows from nodes and components. Those that reach much are large, so most are small.
void plan_cycles(const ServerShape& shape, ServerPlan& plan) {
  std::uint32_t upper = 0;
  for (const std::uint32_t nodes : plan.upper_cycles) upper += nodes;
  const std::uint32_t in_cycles =
      left("nodes in cycles", shape.nodes + shape.cyclic, shape.components, shape.largest, upper);
  plan.huge_cycles = std::max(shape.differ_100kb / kNodesOfHugeCycle,
                              1 + shape.differ_100kb / shape.largest);  // none is the largest
  append_equal(plan.cycles, plan.huge_cycles, shape.differ_100kb);
  const std::uint32_t list = std::min(kNodesOfLongList, shape.differ_10kb / 2);
  plan.large_cycles = 1 + std::max(shape.differ_10kb / kNodesOfLargeCycle, 1u);
  plan.cycles.push_back(list);
  append_equal(plan.cycles, plan.large_cycles - 1, shape.differ_10kb - list);
  const std::uint32_t small =
      left("cycles", shape.cyclic, 1u, kUpperCycles, plan.huge_cycles, plan.large_cycles);
  const std::uint32_t in_small =
      left("nodes in cycles", in_cycles, shape.differ_100kb, shape.differ_10kb);
  if (in_small < 2 * small) throw std::invalid_argument("nodes in small cycles");
  append_equal(plan.cycles, small, in_small);
  plan.sink_cycles = left("component leaves", shape.component_leaves, shape.leaves);
  plan.cycle_roots = std::min(small / 10, shape.roots / 1'000);
}

void plan_roots(const ServerShape& shape, ServerPlan& plan) {
  const std::uint32_t single = left("roots", shape.roots, 1u, plan.cycle_roots);
  left("class objects are roots", single, shape.classes);
  plan.isolated_roots = single / 2;
  plan.sharing_roots = single / 5;
  plan.dominating_roots = single - plan.isolated_roots - plan.sharing_roots;
}

}  // namespace

ServerPlan plan_of(const ServerShape& shape) {
  ServerPlan plan;
  plan_largest(shape, plan);
  plan_upper(shape, plan);
  plan_cycles(shape, plan);
  plan_roots(shape, plan);
  const auto cycles = static_cast<std::uint32_t>(plan.cycles.size());
  // Each member's holding object dominates, too.
  plan.dominating = left("dominating articulation points", shape.dominating_points, plan.members,
                         plan.dominating_roots, left("cycles", cycles, plan.sink_cycles));
  const std::uint32_t leaves = left("leaves", shape.leaves, plan.members);
  const std::uint32_t sharing =
      left("components", shape.components, 1u, 2 * plan.members, plan.upper_components,
           plan.dominating, plan.dominating_roots, cycles, leaves);
  plan.sharing = left("sharing nodes", sharing, plan.sharing_roots);
  plan.sharing_1kb = std::min(shape.differ_1kb, plan.sharing);
  plan.small_shared = 2 + plan.sharing / 64;
  plan.large_shared = 2 + plan.sharing_1kb / 128;
  // The largest component is an articulation point, and so is what all ways to it go through.
  plan.private_leaves =
      std::min(plan.sharing,
               left("articulation points", shape.articulation_points, shape.dominating_points, 2u));
  plan.dominated_leaves = left("leaves", leaves, plan.isolated_roots, plan.small_shared,
                               plan.large_shared, plan.private_leaves);
  left("leaves of dominating nodes", plan.dominated_leaves, plan.dominating,
       2 * plan.dominating_roots, cycles - plan.sink_cycles, plan.cycle_roots);
  return plan;
}

}  // namespace holdfast::analysis::lab
