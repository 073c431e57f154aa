#include "analysis/lab/thesis/dynamic_sizes.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace holdfast::analysis::lab {

namespace {

// may_take(source, node): whether the node's size, known(node), stands for all that it reaches.
template <class MayTake, class Known>
void search_each(const NaiveGraph& graph, const std::vector<std::uint32_t>& sources,
                 DynamicSizes& sizes, MayTake may_take, Known known) {
  std::vector<bool> visited(graph.count());
  std::vector<std::uint32_t> queue, taken;
  for (const std::uint32_t source : sources) {
    std::uint64_t bytes = graph.shallow_bytes[source];
    visited[source] = true;
    queue.assign(1, source);
    taken.clear();
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t v : graph.row(queue[i])) {
        if (visited[v]) continue;
        visited[v] = true;
        const bool take = may_take(source, v);
        bytes += take ? known(v) : graph.shallow_bytes[v];
        (take ? taken : queue).push_back(v);
      }
    }
    for (const std::uint32_t v : queue) visited[v] = false;
    for (const std::uint32_t v : taken) visited[v] = false;
    sizes.visited += queue.size() + taken.size();
    sizes.used += taken.size();
    sizes.bytes.push_back(bytes);
  }
}

template <class MayTake>
DynamicSizes by_points(const NaiveGraph& graph, const std::vector<std::uint32_t>& sources,
                       const std::vector<std::uint64_t>& known, MayTake may_take) {
  if (known.empty() && sources != all_nodes(graph))
    throw std::invalid_argument("a sample of sources needs the sizes of the points");
  DynamicSizes sizes;
  // Of all nodes, the place of a size is its node.
  const std::vector<std::uint64_t>& of_points = known.empty() ? sizes.bytes : known;
  search_each(graph, sources, sizes, may_take, [&](std::uint32_t v) { return of_points[v]; });
  return sizes;
}

// Two neighbours share one block, that of the reference between them.
std::uint32_t block_between(const ArticulationPoints& points, std::uint32_t a, std::uint32_t b) {
  const auto of_a = points.blocks_of(a), of_b = points.blocks_of(b);
  std::uint32_t common = ObjectId::kNoneValue;
  for (const std::uint32_t block : of_a)
    if (std::binary_search(of_b.begin(), of_b.end(), block)) common = block;
  return common;
}

}  // namespace

std::vector<std::uint32_t> all_nodes(const NaiveGraph& graph) {
  std::vector<std::uint32_t> nodes(graph.count());
  std::iota(nodes.begin(), nodes.end(), 0u);
  return nodes;
}

DynamicSizes simple_dynamic_sizes(const NaiveGraph& graph,
                                  const std::vector<std::uint32_t>& sources) {
  DynamicSizes sizes;
  search_each(
      graph, sources, sizes, [](std::uint32_t, std::uint32_t) { return false; },
      [](std::uint32_t) { return std::uint64_t{0}; });
  return sizes;
}

DynamicSizes dynamic_sizes_by_points(const NaiveGraph& components, const std::vector<bool>& points,
                                     const std::vector<std::uint32_t>& sources,
                                     const std::vector<std::uint64_t>& known) {
  return by_points(components, sources, known,
                   [&](std::uint32_t, std::uint32_t v) { return bool{points[v]}; });
}

DynamicSizes dynamic_sizes_by_distant_points(const NaiveGraph& components,
                                             const ArticulationPoints& points, DistantFrom from,
                                             const std::vector<std::uint32_t>& sources,
                                             const std::vector<std::uint64_t>& known) {
  return by_points(components, sources, known, [&](std::uint32_t source, std::uint32_t v) {
    if (from == DistantFrom::kNoPoint && points.is_point(source)) return false;
    return points.is_point(v) && !points.share_block(source, v);
  });
}

std::vector<bool> points_above_one_block(const NaiveGraph& components,
                                         const ArticulationPoints& points, Parents parents) {
  std::vector<bool> made(components.count());
  for (std::uint32_t v = 0; v < components.count(); ++v) {
    const auto row = components.row(v);
    if (!points.is_point(v) || row.empty()) continue;
    const std::uint32_t below = block_between(points, v, row[0]);
    const auto in_block = [&](std::uint32_t w) { return block_between(points, v, w) == below; };
    made[v] = std::all_of(row.begin(), row.end(), in_block);
    if (parents == Parents::kInOtherBlocks && made[v]) {
      const auto above = components.referrers(v);
      made[v] = std::none_of(above.begin(), above.end(), in_block);
    }
  }
  return made;
}

}  // namespace holdfast::analysis::lab
