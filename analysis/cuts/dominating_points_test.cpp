#include "analysis/cuts/dominating_points.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/cuts/biconnected.h"
#include "analysis/lab/condensed_heap.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::CondensedHeap;
using lab::LabGraph;

namespace {

// Definition 11: without the node, nothing that it reaches is reached from a source any more.
bool naive_dominates(const Condensation& c, const Snapshot& nodes, std::uint32_t node) {
  std::vector<bool> removed(c.count());
  removed[node] = true;
  const std::vector<bool> left = lab::naive_marked(nodes, kStrongOnly, removed);
  std::vector<bool> reached(c.count());
  reached[node] = true;
  for (std::uint32_t v = node + 1; v-- > 0;) {  // references go to lower numbers
    if (!reached[v]) continue;
    if (v != node && left[v]) return false;
    for (const std::uint32_t w : c.row(v)) reached[w] = true;
  }
  return true;
}

bool right(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  const Condensation& c = heap.condensation;
  auto dominators = dag_dominators(c, CondensedHeap::arena(), heap.cancel);
  REQUIRE(dominators.ok());
  auto made = dominating_points(c, *dominators, CondensedHeap::arena(), heap.cancel);
  REQUIRE(made.ok());
  auto components = biconnected_components(c, CondensedHeap::arena(), heap.cancel);
  REQUIRE(components.ok());
  LabGraph node_graph = lab::graph_of_nodes(c);
  const Snapshot nodes = node_graph.snapshot();
  std::vector<bool> referred(c.count());
  for (const std::uint32_t w : c.target) referred[w] = true;
  std::uint32_t points = 0;
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    const bool dominates = !c.row(v).empty() && naive_dominates(c, nodes, v);
    if (made->contains(v) != dominates) return false;
    if (dominates && referred[v] && !components->is_articulation(v)) return false;
    points += dominates ? 1 : 0;
  }
  return made->count == points;
}

}  // namespace

TEST_CASE("dominating points: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph) ? 0 : 1; });
  CHECK(wrong == 0);
}

TEST_CASE("dominating points: random graphs; those with referrers are articulation points") {
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    INFO("seed ", seed);
    REQUIRE(right(graph));
  }
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    const auto references = static_cast<std::uint32_t>(30 + seed % 60);
    LabGraph graph = lab::without_cycles(lab::random_graph({50, references, 1, 1, 0}, seed));
    INFO("seed ", seed);
    REQUIRE(right(graph));
  }
}

TEST_CASE("dominating points: the thesis' example, a chain of a million, a diamond and its end") {
  // What the text of listing 4.4 walks through: node 4 (here 3) dominates the other three, neither of the two between does.
  LabGraph example = lab::graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {0});
  const Snapshot small = example.snapshot();
  CondensedHeap few(small);
  auto top = dag_dominators(few.condensation, CondensedHeap::arena(), few.cancel);
  REQUIRE(top.ok());
  auto only = dominating_points(few.condensation, *top, CondensedHeap::arena(), few.cancel);
  REQUIRE(only.ok());
  CHECK(only->count == 1);
  CHECK(only->contains(3));

  LabGraph chain = lab::chain(1'000'000);
  const Snapshot s = chain.snapshot();
  CondensedHeap heap(s);
  lab::TestArena memory(std::uint64_t{1} << 26);
  auto dominators = dag_dominators(heap.condensation, CondensedHeap::arena(), heap.cancel);
  REQUIRE(dominators.ok());
  auto all = dominating_points(heap.condensation, *dominators, memory.arena(), heap.cancel);
  REQUIRE(all.ok());
  CHECK(all->count == 999'999);
  CHECK(!all->contains(0));
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(dominating_points_bytes(1'000'000)));
}

TEST_CASE("dominating points: cancelled, or without memory, it leaves nothing") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  auto dominators = dag_dominators(heap.condensation, CondensedHeap::arena(), heap.cancel);
  REQUIRE(dominators.ok());
  CancelToken cancelled;
  cancelled.cancel();
  const std::size_t before = CondensedHeap::arena().used_bytes();
  CHECK(!dominating_points(heap.condensation, *dominators, CondensedHeap::arena(), cancelled).ok());
  CHECK(CondensedHeap::arena().used_bytes() == before);
  lab::TestArena small(300'000);
  auto refused = dominating_points(heap.condensation, *dominators, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
