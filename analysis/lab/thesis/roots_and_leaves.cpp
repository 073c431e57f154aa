#include "analysis/lab/thesis/roots_and_leaves.h"

#include <algorithm>

namespace holdfast::analysis::lab {

namespace {

// What is reached from a node over its rows, or over its referrers: in `reached`, which is kept, and as a list of what is new.
template <class Row>
std::vector<std::uint32_t> reach(std::uint32_t from, std::vector<bool>& reached, Row row) {
  std::vector<std::uint32_t> queue;
  if (reached[from]) return queue;
  reached[from] = true;
  queue.push_back(from);
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t to : row(queue[i])) {
      if (reached[to]) continue;
      reached[to] = true;
      queue.push_back(to);
    }
  }
  return queue;
}

// Whether all that reach the node are reached by it, so that they are one cycle.
bool check_root(const NaiveGraph& graph, std::uint32_t node) {
  std::vector<bool> above(graph.count()), below(graph.count());
  const auto reaching = reach(node, above, [&](std::uint32_t v) { return graph.referrers(v); });
  reach(node, below, [&](std::uint32_t v) { return graph.row(v); });
  return std::all_of(reaching.begin(), reaching.end(), [&](std::uint32_t v) { return below[v]; });
}

}  // namespace

RootsAndLeaves find_roots_and_leaves(const NaiveGraph& graph) {
  RootsAndLeaves found;
  std::vector<bool> visited(graph.count());
  const auto add_root = [&](std::uint32_t node) {
    found.roots.push_back(node);
    reach(node, visited, [&](std::uint32_t v) { return graph.row(v); });
  };
  for (std::uint32_t v = 0; v < graph.count(); ++v) {
    if (graph.referrers(v).empty()) add_root(v);
    if (graph.row(v).empty()) found.leaves.push_back(v);
  }
  for (std::uint32_t v = 0; v < graph.count(); ++v)
    if (!visited[v] && check_root(graph, v)) add_root(v);
  return found;
}

}  // namespace holdfast::analysis::lab
