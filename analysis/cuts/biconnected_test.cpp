#include "analysis/cuts/biconnected.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <vector>

#include "analysis/lab/condensed_heap.h"
#include "analysis/lab/shapes.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::CondensedHeap;
using lab::LabGraph;

namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;
using Neighbours = std::vector<std::vector<std::uint32_t>>;

Neighbours neighbours_of(const Condensation& c) {
  Neighbours all(c.count());
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    for (const std::uint32_t w : c.row(v)) {
      all[v].push_back(w);
      all[w].push_back(v);
    }
  }
  return all;
}

// The connected part of every node when one is gone; returns their number.
std::uint32_t parts_without(const Neighbours& all, std::uint32_t gone,
                            std::vector<std::uint32_t>& part) {
  part.assign(all.size(), kNone);
  std::uint32_t parts = 0;
  std::vector<std::uint32_t> queue;
  for (std::uint32_t start = 0; start < all.size(); ++start) {
    if (start == gone || part[start] != kNone) continue;
    part[start] = parts;
    queue = {start};
    while (!queue.empty()) {
      const std::uint32_t v = queue.back();
      queue.pop_back();
      for (const std::uint32_t w : all[v]) {
        if (w == gone || part[w] != kNone) continue;
        part[w] = parts;
        queue.push_back(w);
      }
    }
    ++parts;
  }
  return parts;
}

struct NaiveComponents {
  std::vector<bool> articulation;
  std::set<std::vector<std::uint32_t>> components;  // their nodes
  std::uint32_t parts = 0;
};

// Definitions 9 and 10: a node is an articulation point when there are more parts without it; two references are in one component
// when no node parts them.
NaiveComponents naive_components(const Condensation& c) {
  const Neighbours all = neighbours_of(c);
  std::vector<std::vector<std::uint32_t>> without(c.count() + std::size_t{1});
  NaiveComponents found;
  found.articulation.resize(c.count());
  found.parts = parts_without(all, kNone, without[c.count()]);
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    const std::uint32_t parts = parts_without(all, v, without[v]);
    found.articulation[v] = parts > found.parts - (all[v].empty() ? 1 : 0);
  }
  std::map<std::vector<std::uint32_t>, std::set<std::uint32_t>> nodes_of;
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    for (const std::uint32_t w : c.row(v)) {
      std::vector<std::uint32_t> sides;
      for (std::uint32_t gone = 0; gone <= c.count(); ++gone)
        sides.push_back(without[gone][gone == v ? w : v]);
      auto& nodes = nodes_of[sides];
      nodes.insert(v);
      nodes.insert(w);
    }
  }
  for (const auto& [sides, nodes] : nodes_of)
    found.components.insert(std::vector<std::uint32_t>(nodes.begin(), nodes.end()));
  CHECK(found.components.size() == nodes_of.size());
  return found;
}

bool right(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  const Condensation& c = heap.condensation;
  auto made = biconnected_components(c, CondensedHeap::arena(), heap.cancel);
  REQUIRE(made.ok());
  const NaiveComponents naive = naive_components(c);
  std::uint32_t points = 0;
  for (std::uint32_t v = 0; v < c.count(); ++v) {
    if (made->is_articulation(v) != naive.articulation[v]) return false;
    points += naive.articulation[v] ? 1 : 0;
  }
  std::size_t largest = 0;
  for (const auto& nodes : naive.components) largest = std::max(largest, nodes.size());
  return made->articulation_points == points && made->components == naive.components.size() &&
         made->largest_nodes == largest && made->parts == naive.parts;
}

BiconnectedComponents components_of(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  REQUIRE(heap.condensation.count() == s.object_count());
  auto made = biconnected_components(heap.condensation, CondensedHeap::arena(), heap.cancel);
  REQUIRE(made.ok());
  std::uint32_t bits = 0;
  for (const std::uint64_t word : made->articulation)
    bits += static_cast<std::uint32_t>(std::popcount(word));
  CHECK(bits == made->articulation_points);
  return *made;
}

}  // namespace

TEST_CASE("biconnected components: named shapes and every graph of at most 4 objects") {
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

TEST_CASE("biconnected components: random graphs, few of whose objects are in cycles") {
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    INFO("seed ", seed);
    REQUIRE(right(graph));
  }
  // From forests to one component; most have many sources, whose trees must be turned round and joined.
  for (std::uint64_t seed = 1; seed <= tries(600); ++seed) {
    const auto references = static_cast<std::uint32_t>(20 + seed % 70);
    LabGraph graph = lab::without_cycles(lab::random_graph({50, references, 1, 1, 0}, seed));
    INFO("seed ", seed);
    REQUIRE(right(graph));
  }
}

TEST_CASE("biconnected components: a chain, a star, a ring and a complete graph") {
  LabGraph chain = lab::chain(1'000'000);
  const BiconnectedComponents of_chain = components_of(chain);
  CHECK(of_chain.articulation_points == 999'998);
  CHECK(of_chain.components == 999'999);
  CHECK(of_chain.largest_nodes == 2);
  CHECK(of_chain.parts == 1);

  LabGraph star = lab::star(100'000);
  const BiconnectedComponents of_star = components_of(star);
  CHECK(of_star.articulation_points == 1);
  CHECK(of_star.components == 99'999);

  std::vector<lab::LabEdge> edges = {{0, 500'000}};
  for (std::uint32_t v = 0; v + 1 < 1'000'000; ++v)
    if (v != 499'999) edges.push_back({v, v + 1});
  edges.push_back({499'999, 999'999});
  LabGraph ring = lab::graph_of(1'000'000, edges, {0});  // two ways from the first to the last
  const BiconnectedComponents of_ring = components_of(ring);
  CHECK(of_ring.articulation_points == 0);
  CHECK(of_ring.components == 1);
  CHECK(of_ring.largest_nodes == 1'000'000);

  LabGraph complete = lab::without_cycles(lab::complete(1'000));
  const BiconnectedComponents of_complete = components_of(complete);
  CHECK(of_complete.articulation_points == 0);
  CHECK(of_complete.components == 1);
  CHECK(of_complete.largest_nodes == 1'000);
}

TEST_CASE("biconnected components: chains that end in each other, and a million sources") {
  // Long chains whose ends meet in pairs, then the pairs in their beginnings: every tree is turned round.
  constexpr std::uint32_t kChains = 1'000;
  constexpr std::uint32_t kLength = 1'000;
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t chain = 0; chain < kChains; ++chain) {
    const std::uint32_t first = chain * kLength;
    for (std::uint32_t i = 0; i + 1 < kLength; ++i) edges.push_back({first + i, first + i + 1});
    if (chain > 0) edges.push_back({first, chain % 2 == 1 ? first - 1 : first - kLength + 1});
  }
  LabGraph chains = lab::graph_of(kChains * kLength, edges, {0});
  const BiconnectedComponents of_chains = components_of(chains);
  CHECK(of_chains.parts == 1);
  CHECK(of_chains.components == kChains * kLength - 1);
  CHECK(of_chains.largest_nodes == 2);

  std::vector<lab::LabEdge> to_one;
  for (std::uint32_t v = 1; v < 1'000'000; ++v) to_one.push_back({v, 0});
  LabGraph sources = lab::graph_of(1'000'000, to_one, {1});
  const BiconnectedComponents of_sources = components_of(sources);
  CHECK(of_sources.articulation_points == 1);
  CHECK(of_sources.components == 999'999);
  CHECK(of_sources.parts == 1);

  LabGraph alone = lab::graph_of(1'000, {}, {});
  const BiconnectedComponents of_alone = components_of(alone);
  CHECK(of_alone.components == 0);
  CHECK(of_alone.largest_nodes == 0);
  CHECK(of_alone.parts == 1'000);
}

TEST_CASE("biconnected components: 12 bytes and a bit a node") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  lab::TestArena memory(std::uint64_t{1} << 26);
  REQUIRE(biconnected_components(heap.condensation, memory.arena(), heap.cancel).ok());
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(biconnected_components_bytes(1'000'000)));
  CHECK(memory.arena().used_bytes() < 1'000'000 / 8 + 64);
}

TEST_CASE("biconnected components: cancelled, or without memory, it leaves nothing") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  CondensedHeap heap(s);
  CancelToken cancelled;
  cancelled.cancel();
  const std::size_t before = CondensedHeap::arena().used_bytes();
  CHECK(!biconnected_components(heap.condensation, CondensedHeap::arena(), cancelled).ok());
  CHECK(CondensedHeap::arena().used_bytes() == before);
  lab::TestArena small(1'000'000);
  auto refused = biconnected_components(heap.condensation, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
