#include "analysis/reachable/dag_dominators.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "analysis/lab/condensed_heap.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::CondensedHeap;
using lab::LabGraph;

namespace {

std::uint32_t depth_of(const std::vector<std::uint32_t>& idom) {
  std::uint32_t deepest = 0;
  for (std::uint32_t v : idom) {
    std::uint32_t depth = 1;
    for (; v != Dominators::kRoot; v = idom[v]) ++depth;
    deepest = std::max(deepest, depth);
  }
  return deepest;
}

bool right(LabGraph& graph, const CondensationScope& scope = {}) {
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s, scope);
  const Condensation& c = heap.condensation;
  auto made = dag_dominators(c, CondensedHeap::arena(), heap.cancel);
  REQUIRE(made.ok());
  LabGraph nodes = lab::graph_of_nodes(c);
  const Snapshot node_snapshot = nodes.snapshot();
  const lab::NaiveDominators naive = lab::naive_dominators(node_snapshot, kStrongOnly);
  return std::equal(made->idom.begin(), made->idom.end(), naive.idom.begin(), naive.idom.end()) &&
         std::equal(made->retained_bytes.begin(), made->retained_bytes.end(),
                    naive.retained_bytes.begin(), naive.retained_bytes.end()) &&
         made->depth == depth_of(naive.idom);
}

// The same by compute_dominators, for graphs that are too large for the definition.
void check_against_general(LabGraph& graph, std::uint32_t depth) {
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  const Condensation& c = heap.condensation;
  REQUIRE(c.count() == s.object_count());
  auto made = dag_dominators(c, CondensedHeap::arena(), heap.cancel);
  REQUIRE(made.ok());
  CHECK(made->depth == depth);
  auto general =
      compute_dominators(heap.references, kStrongOnly, CondensedHeap::arena(), heap.cancel);
  REQUIRE(general.ok());
  std::uint32_t wrong = 0;
  for (std::uint32_t object = 0; object < s.object_count(); ++object) {
    const std::uint32_t node = c.components.component[object];
    const std::uint32_t idom = general->idom[object];
    const std::uint32_t expected =
        idom == Dominators::kRoot ? DagDominators::kRoot : c.components.component[idom];
    wrong += made->idom[node] == expected ? 0 : 1;
    wrong += made->retained_bytes[node] == general->retained_bytes[object] ? 0 : 1;
  }
  CHECK(wrong == 0);
}

// Every object refers to the next to its right and the next below.
LabGraph grid(std::uint32_t side) {
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v < side * side; ++v) {
    if (v % side + 1 < side) edges.push_back({v, v + 1});
    if (v / side + 1 < side) edges.push_back({v, v + side});
  }
  return lab::graph_of(side * side, edges, {0});
}

// A spine, and beside it a chain of rungs, each of which an object of the spine refers to, too, the last ones first: nearest common
// ancestors lie at the far end.
LabGraph one_way_ladder(std::uint32_t rungs) {
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t i = 0; i + 1 < rungs; ++i) edges.push_back({i, i + 1});
  edges.push_back({0, rungs});
  for (std::uint32_t i = 0; i + 1 < rungs; ++i) {
    edges.push_back({rungs + i, rungs + i + 1});
    edges.push_back({rungs - 1 - i, rungs + i + 1});
  }
  return lab::graph_of(2 * rungs, edges, {0});
}

}  // namespace

TEST_CASE("dag dominators: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph));
    LabGraph reversed = lab::reversed_children(shape.graph);
    CHECK(right(reversed));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph) ? 0 : 1; });
  CHECK(wrong == 0);
}

TEST_CASE("dag dominators: random graphs, with and without class objects, by strength") {
  const StrengthSet all = holding_strengths(kRetainStrong | kRetainSoft | kRetainWeak);
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    INFO("seed ", seed);
    REQUIRE(right(graph, {kStrongOnly, false}));
    REQUIRE(right(graph, {all, seed % 2 == 0}));
  }
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    LabGraph graph = lab::without_cycles(
        lab::random_graph({60, 90 + static_cast<std::uint32_t>(seed % 60), 1, 1, 0}, seed));
    INFO("seed ", seed);
    REQUIRE(right(graph));
  }
}

TEST_CASE("dag dominators: a chain of a million, in 12 bytes a node") {
  LabGraph graph = lab::chain(1'000'000);
  check_against_general(graph, 1'000'000);
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  lab::TestArena memory(std::uint64_t{1} << 26);
  auto made = dag_dominators(heap.condensation, memory.arena(), heap.cancel);
  REQUIRE(made.ok());
  CHECK(made->idom[0] == 1);
  CHECK(made->idom[999'999] == DagDominators::kRoot);
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(dag_dominators_bytes(1'000'000)));
}

TEST_CASE("dag dominators: a grid and a ladder, whose walks up are long, take no time") {
  LabGraph square = grid(700);
  check_against_general(square, 700);
  LabGraph rungs = one_way_ladder(250'000);
  check_against_general(rungs, 250'000);
}

TEST_CASE("dag dominators: cancelled, or without memory, it is an error and leaves nothing") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  CancelToken cancelled;
  cancelled.cancel();
  const std::size_t before = CondensedHeap::arena().used_bytes();
  CHECK(!dag_dominators(heap.condensation, CondensedHeap::arena(), cancelled).ok());
  CHECK(CondensedHeap::arena().used_bytes() == before);
  lab::TestArena small(1'000'000);
  auto refused = dag_dominators(heap.condensation, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
