#include "analysis/lab/thesis/thesis_statistics.h"

#include <algorithm>

#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/results.h"

namespace holdfast::analysis::lab {

namespace {

AverageAndMost of_all(const std::vector<std::uint32_t>& numbers) {
  AverageAndMost made;
  std::uint64_t sum = 0;
  for (const std::uint32_t number : numbers) {
    sum += number;
    made.most = std::max(made.most, number);
  }
  if (!numbers.empty())
    made.average = static_cast<double>(sum) / static_cast<double>(numbers.size());
  return made;
}

AverageAndMost of_inner(std::vector<std::uint32_t> widths) {
  std::erase(widths, 0u);
  return of_all(widths);
}

AverageAndMost tree_width(const std::vector<std::uint32_t>& idom) {
  std::vector<std::uint32_t> children(idom.size() + 1, 0);
  for (const std::uint32_t dominator : idom)
    ++children[dominator == Dominators::kRoot ? idom.size() : dominator];
  return of_inner(std::move(children));
}

// Walks up to a node whose height is known, and down again.
AverageAndMost tree_height(const std::vector<std::uint32_t>& idom) {
  std::vector<std::uint32_t> height(idom.size(), 0), way;
  for (std::uint32_t v = 0; v < idom.size(); ++v) {
    std::uint32_t at = v;
    for (; at != Dominators::kRoot && height[at] == 0; at = idom[at]) way.push_back(at);
    std::uint32_t above = at == Dominators::kRoot ? 0 : height[at];
    for (; !way.empty(); way.pop_back()) height[way.back()] = ++above;
  }
  return of_all(height);
}

AverageAndMost graph_height(const NaiveGraph& components) {
  std::vector<std::uint32_t> height(components.count(), 1);
  for (std::uint32_t c = components.count(); c-- > 0;)  // referrers have higher numbers
    for (const std::uint32_t to : components.row(c))
      height[to] = std::max(height[to], height[c] + 1);
  return of_all(height);
}

AverageAndMost graph_width(const NaiveGraph& components, std::size_t roots) {
  std::vector<std::uint32_t> widths{static_cast<std::uint32_t>(roots)};
  for (std::uint32_t c = 0; c < components.count(); ++c)
    widths.push_back(static_cast<std::uint32_t>(components.row(c).size()));
  return of_inner(std::move(widths));
}

std::uint32_t count_of(const std::vector<bool>& points) {
  return static_cast<std::uint32_t>(std::count(points.begin(), points.end(), true));
}

void count_cycles(const TarjanComponents& found, ThesisStatistics& s) {
  std::vector<std::uint32_t> nodes(found.count, 0);
  for (const std::uint32_t c : found.component) ++nodes[c];
  std::uint32_t in_cycles = 0;
  for (const std::uint32_t count : nodes) {
    s.largest = std::max(s.largest, count);
    if (count < 2) continue;
    ++s.cyclic;
    in_cycles += count;
  }
  if (s.cyclic > 0) s.average_cyclic = static_cast<double>(in_cycles) / s.cyclic;
}

}  // namespace

ThesisGraphs thesis_graphs(const Snapshot& snapshot) {
  ThesisGraphs g;
  g.nodes = node_graph(snapshot);
  g.ends = find_roots_and_leaves(g.nodes);
  g.found = tarjan_components(g.nodes);
  g.components = component_graph(g.nodes, g.found.component, g.found.count);
  g.component_ends = find_roots_and_leaves(g.components);
  g.idom = dominators_of(g.nodes, g.ends.roots, LinkEval::kSophisticated);
  g.component_idom = dominators_of(g.components, g.component_ends.roots, LinkEval::kSimple);
  return g;
}

ThesisStatistics thesis_statistics(const ThesisGraphs& g) {
  ThesisStatistics s;
  s.nodes = g.nodes.count();
  s.references = static_cast<std::uint32_t>(g.nodes.target.size());
  s.roots = static_cast<std::uint32_t>(g.ends.roots.size());
  s.leaves = static_cast<std::uint32_t>(g.ends.leaves.size());
  s.components = g.found.count;
  s.component_roots = static_cast<std::uint32_t>(g.component_ends.roots.size());
  s.component_leaves = static_cast<std::uint32_t>(g.component_ends.leaves.size());
  count_cycles(g.found, s);
  s.articulation_points = count_of(all_points(articulation_points(g.components)));
  s.dominating_points = count_of(dominating_points(g.components, g.component_idom));
  s.tree_width = tree_width(g.idom);
  s.tree_height = tree_height(g.idom);
  s.component_tree_width = tree_width(g.component_idom);
  s.component_tree_height = tree_height(g.component_idom);
  s.component_width = graph_width(g.components, g.component_ends.roots.size());
  s.component_height = graph_height(g.components);
  return s;
}

std::vector<std::uint32_t> size_differences(const std::vector<std::uint64_t>& reachable,
                                            const std::vector<std::uint64_t>& retained,
                                            const std::vector<std::uint64_t>& limits) {
  std::vector<std::uint32_t> counts(limits.size() + 1, 0);
  for (std::size_t v = 0; v < reachable.size(); ++v) {
    const std::uint64_t difference = reachable[v] - retained[v];
    const auto at = std::upper_bound(limits.begin(), limits.end(), difference) - limits.begin();
    ++counts[static_cast<std::size_t>(at)];
  }
  return counts;
}

}  // namespace holdfast::analysis::lab
