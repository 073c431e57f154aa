#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/thesis_graphs.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "analysis/strong_components.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;
using lab::NaiveGraph;

namespace {

// Named shapes, every graph of at most 4 objects, and random ones, all without implied references.
void for_many_graphs(const std::function<void(LabGraph&)>& visit) {
  for (lab::NamedGraph& shape : lab::named_shapes()) visit(shape.graph);
  for (std::uint32_t objects = 1; objects <= 4; ++objects) lab::for_all_graphs(objects, visit);
  for (std::uint64_t seed = 1; seed <= tries(400); ++seed) {
    LabGraph graph = lab::random_graph(seed, false);
    for (ClassRow& row : graph.classes) row.mirror = ObjectId{};
    visit(graph);
  }
}

std::vector<bool> reached(const NaiveGraph& graph, const std::vector<std::uint32_t>& from,
                          std::uint32_t without) {
  std::vector<bool> made(graph.count());
  std::vector<std::uint32_t> queue;
  const auto add = [&](std::uint32_t v) {
    if (v == without || made[v]) return;
    made[v] = true;
    queue.push_back(v);
  };
  for (const std::uint32_t v : from) add(v);
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::uint32_t to : graph.row(queue[i])) add(to);
  return made;
}

// Roots by definition: what refers in from outside is the question, component by component.
bool roots_right(const NaiveGraph& graph) {
  const std::uint32_t n = graph.count();
  const auto found = lab::find_roots_and_leaves(graph);
  std::set<std::uint32_t> expected;
  std::vector<std::vector<bool>> from;
  for (std::uint32_t v = 0; v < n; ++v) from.push_back(reached(graph, {v}, n));
  for (std::uint32_t v = 0; v < n; ++v) {
    bool source = true;
    for (std::uint32_t w = 0; w < n; ++w)
      source = source && (!from[w][v] || (from[v][w] && v <= w));
    if (source) expected.insert(v);
  }
  if (std::set(found.roots.begin(), found.roots.end()) != expected) return false;
  std::uint32_t leaves = 0;
  for (std::uint32_t v = 0; v < n; ++v) leaves += graph.row(v).empty() ? 1 : 0;
  return found.roots.size() == expected.size() && found.leaves.size() == leaves;
}

// The parts of the undirected graph when a node is not there.
std::uint32_t parts(const lab::Undirected& graph, std::uint32_t nodes, std::uint32_t without) {
  std::vector<bool> seen(nodes);
  std::uint32_t count = 0;
  for (std::uint32_t v = 0; v < nodes; ++v) {
    if (seen[v] || v == without) continue;
    ++count;
    std::vector<std::uint32_t> queue{v};
    seen[v] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const std::uint32_t to : graph.row(queue[i])) {
        if (seen[to] || to == without) continue;
        seen[to] = true;
        queue.push_back(to);
      }
    }
  }
  return count;
}

// Definition 10: there are more parts without the node than with it.
std::vector<bool> points_by_definition(const NaiveGraph& graph) {
  const std::uint32_t n = graph.count();
  const lab::Undirected both = lab::undirected(graph);
  const std::uint32_t whole = parts(both, n, n);
  std::vector<bool> made(n);
  for (std::uint32_t v = 0; v < n; ++v) made[v] = parts(both, n, v) > whole;
  return made;
}

bool articulation_points_right(const NaiveGraph& graph) {
  const auto found = lab::articulation_points(graph);
  const lab::Undirected both = lab::undirected(graph);
  for (std::uint32_t v = 0; v < graph.count(); ++v)
    if (found.blocks_of(v).empty() != both.row(v).empty()) return false;
  return lab::all_points(found) == points_by_definition(graph);
}

NaiveGraph with_super_root(const NaiveGraph& graph, const std::vector<std::uint32_t>& roots) {
  std::vector<std::uint32_t> first_ref = graph.first_ref, target = graph.target;
  std::vector<std::uint64_t> bytes = graph.shallow_bytes;
  target.insert(target.end(), roots.begin(), roots.end());
  first_ref.push_back(static_cast<std::uint32_t>(target.size()));
  bytes.push_back(0);
  return lab::graph_of_rows(first_ref, target, bytes);
}

// It refers to something, and without it the roots reach nothing of what it reaches.
bool dominates_all(const lab::ThesisGraphs& g, std::uint32_t node) {
  const auto below = reached(g.components, {node}, g.components.count());
  const auto left = reached(g.components, g.component_ends.roots, node);
  for (std::uint32_t v = 0; v < g.components.count(); ++v)
    if (v != node && below[v] && left[v]) return false;
  return !g.components.row(node).empty();
}

bool dominating_points_right(const lab::ThesisGraphs& g) {
  const auto above = points_by_definition(with_super_root(g.components, g.component_ends.roots));
  const auto points = points_by_definition(g.components);
  const auto found = lab::dominating_points(g.components, g.component_idom);
  for (std::uint32_t v = 0; v < g.components.count(); ++v) {
    if (found[v] != dominates_all(g, v)) return false;
    if (found[v] && !above[v]) return false;
    // Definition 11 without the super root leaves out no others than such roots.
    if (found[v] && !points[v] && !g.components.referrers(v).empty()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("thesis: roots and leaves are found by definition, on the heap and on its components") {
  std::uint32_t wrong = 0, unequal = 0;
  for_many_graphs([&](LabGraph& graph) {
    if (graph.roots.size() > 1 && graph.object_count() <= 4) return;  // it has the same rows
    const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
    wrong += roots_right(g.nodes) && roots_right(g.components) ? 0 : 1;
    unequal += g.ends.roots.size() == g.component_ends.roots.size() ? 0 : 1;
  });
  CHECK(wrong == 0);
  CHECK(unequal == 0);
}

TEST_CASE("thesis: a cycle below a cycle of higher nodes has no root") {
  LabGraph graph = lab::graph_of(4, {{0, 1}, {1, 0}, {2, 3}, {3, 2}, {3, 0}}, {});
  const auto found = lab::find_roots_and_leaves(lab::node_graph(graph.snapshot()));
  CHECK(found.roots == std::vector<std::uint32_t>{2});
}

TEST_CASE("thesis: Tarjan's components are those of strong_components, referents numbered first") {
  std::uint32_t wrong = 0;
  for_many_graphs([&](LabGraph& graph) {
    const Snapshot s = graph.snapshot();
    const NaiveGraph nodes = lab::node_graph(s);
    const auto found = lab::tarjan_components(nodes);
    lab::AnalysedHeap heap(s);
    auto other =
        strong_components(heap.references, {kStrongOnly, false, true}, heap.arena(), heap.cancel);
    REQUIRE(other.ok());
    bool right = found.count == other->count;
    std::vector<std::uint32_t> same(found.count, ObjectId::kNoneValue);
    for (std::uint32_t v = 0; v < nodes.count() && right; ++v) {
      std::uint32_t& c = same[found.component[v]];
      if (c == ObjectId::kNoneValue) c = other->component[v];
      right = c == other->component[v];
      for (const std::uint32_t to : nodes.row(v))
        right = right && found.component[to] <= found.component[v];
    }
    wrong += right ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("thesis: both variants of Lengauer and Tarjan, and gc sizes, equal the slow definition") {
  std::uint32_t wrong = 0;
  for_many_graphs([&](LabGraph& graph) {
    for (RootRecord& root : graph.roots) root.kind = RootKind::kOther;  // [Thesis] has one kind
    const Snapshot s = graph.snapshot();
    const NaiveGraph nodes = lab::node_graph(s);
    std::vector<std::uint32_t> roots;
    for (const RootRecord& root : s.roots) roots.push_back(root.object.value);
    const auto expected = lab::naive_dominators(s, kStrongOnly);
    const auto simple = lab::dominators_of(nodes, roots, lab::LinkEval::kSimple);
    const auto balanced = lab::dominators_of(nodes, roots, lab::LinkEval::kSophisticated);
    const bool right = simple == expected.idom && balanced == expected.idom &&
                       lab::gc_sizes(nodes, simple) == expected.retained_bytes;
    wrong += right ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("thesis: the dominators of components are those of their graph, seen as a heap") {
  std::uint32_t wrong = 0;
  for_many_graphs([&](LabGraph& graph) {
    if (graph.roots.size() > 1 && graph.object_count() <= 4) return;
    const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
    std::vector<lab::LabEdge> edges;
    for (std::uint32_t c = 0; c < g.components.count(); ++c)
      for (const std::uint32_t to : g.components.row(c)) edges.push_back({c, to});
    LabGraph heap = lab::graph_of(g.components.count(), edges, g.component_ends.roots);
    const auto expected = lab::naive_dominators(heap.snapshot(), kStrongOnly);
    wrong += g.component_idom == expected.idom ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("thesis: articulation points are what parts the graph") {
  std::uint32_t wrong = 0;
  for_many_graphs([&](LabGraph& graph) {
    if (graph.roots.size() > 1 && graph.object_count() <= 4) return;
    const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
    wrong += articulation_points_right(g.nodes) && articulation_points_right(g.components) ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("thesis: listing 4.4 finds what dominates all that it reaches") {
  std::uint32_t wrong = 0;
  for_many_graphs([&](LabGraph& graph) {
    if (graph.roots.size() > 1 && graph.object_count() <= 4) return;
    wrong += dominating_points_right(lab::thesis_graphs(graph.snapshot())) ? 0 : 1;
  });
  CHECK(wrong == 0);
}

TEST_CASE("thesis: listing 4.4 with the super root below all others finds too much") {
  // 3 refers to 0 and 1; 0 is also referred to by another root.
  LabGraph graph = lab::graph_of(4, {{3, 0}, {3, 1}, {2, 0}}, {});
  const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
  const std::uint32_t point = g.found.component[3];
  CHECK(!lab::dominating_points(g.components, g.component_idom)[point]);
  CHECK(
      lab::dominating_points(g.components, g.component_idom, lab::SuperRootNumber::kLowest)[point]);
}

TEST_CASE("thesis: long chains need no recursion") {
  LabGraph graph = lab::chain(250'000);
  const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
  CHECK(g.found.count == 250'000);
  CHECK(lab::gc_sizes(g.nodes, g.idom)[249'999] == 2'000'000);
  CHECK(lab::articulation_points(g.components).blocks == 249'999);
  CHECK(lab::dominators_of(g.nodes, g.ends.roots, lab::LinkEval::kSimple) == g.idom);
}
