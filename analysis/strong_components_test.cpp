#include "analysis/strong_components.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

std::vector<bool> reached_from(const Snapshot& s, std::uint32_t from, StrengthSet holding) {
  std::vector<bool> reached(s.object_count());
  std::vector<std::uint32_t> queue = {from};
  reached[from] = true;
  while (!queue.empty()) {
    const std::uint32_t v = queue.back();
    queue.pop_back();
    for (const lab::NaiveEdge& e : lab::naive_row(s, v)) {
      if ((holding & strength_bit(e.strength)) == 0 || reached[e.to]) continue;
      reached[e.to] = true;
      queue.push_back(e.to);
    }
  }
  return reached;
}

// The definition: two held objects are in one component exactly when each reaches the other.
bool right(LabGraph& graph, StrengthSet holding = kStrongOnly) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s, holding);
  auto found = strong_components(heap.references, {holding}, heap.arena(), heap.cancel);
  if (!found) return false;
  const std::uint32_t n = s.object_count();
  const auto held = lab::naive_marked(s, holding, std::vector<bool>(n));
  std::vector<std::vector<bool>> reached(n);
  for (std::uint32_t v = 0; v < n; ++v)
    if (held[v]) reached[v] = reached_from(s, v, holding);
  std::vector<std::uint32_t> objects(found->count);
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint32_t c = found->component[v];
    if (held[v] != (c != ObjectId::kNoneValue)) return false;
    if (!held[v]) continue;
    if (c >= found->count) return false;
    ++objects[c];
    for (std::uint32_t w = 0; w < n; ++w) {
      if (!held[w]) continue;
      if ((c == found->component[w]) != (reached[v][w] && reached[w][v])) return false;
      if (reached[v][w] && found->component[w] > c) return false;
    }
  }
  std::uint32_t cyclic = 0;
  for (std::uint32_t c = 0; c < found->count; ++c) {
    if (objects[c] != found->objects[c] || objects[c] > objects[found->largest]) return false;
    cyclic += objects[c] > 1 ? 1 : 0;
  }
  return cyclic == found->cyclic;
}

}  // namespace

TEST_CASE("strong components: named shapes and every graph of at most 4 objects") {
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

TEST_CASE("strong components: seeded random graphs with class objects and all strengths") {
  const StrengthSet sets[] = {kStrongOnly, holding_strengths(kRetainStrong | kRetainSoft)};
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    INFO("seed ", seed);
    REQUIRE(lab::counterexample(graph, "strong components",
                                [&](LabGraph& g) { return right(g, sets[seed % 2]); }) == "");
  }
}

TEST_CASE("strong components: a chain and a ring of a million, in 12 bytes an object") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  lab::TestArena bench(std::uint64_t{1} << 28);
  auto references = CountedReferences::make(s, bench.arena(), cancel);
  REQUIRE(references.ok());
  auto found = strong_components(*references, {kStrongOnly}, bench.arena(), cancel);
  REQUIRE(found.ok());
  CHECK(found->count == 1'000'000);
  CHECK(found->cyclic == 0);
  CHECK(found->component[999'999] == 0);
  CHECK(static_cast<double>(bench.peak_bytes()) <
        1.05 * static_cast<double>(strong_components_bytes(1'000'000)));

  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v < 1'000'000; ++v) edges.push_back({v, (v + 1) % 1'000'000});
  LabGraph ring = lab::graph_of(1'000'000, edges, {0});
  const Snapshot round = ring.snapshot();
  AnalysedHeap heap(round);
  auto one = strong_components(heap.references, {kStrongOnly}, heap.arena(), heap.cancel);
  REQUIRE(one.ok());
  CHECK(one->count == 1);
  CHECK(one->objects[0] == 1'000'000);
  CHECK(one->cyclic_objects == 1'000'000);
}

TEST_CASE("strong components: cancelled, or without memory, it is an error") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!strong_components(heap.references, {kStrongOnly}, heap.arena(), cancelled).ok());
  lab::TestArena small(1'000'000);
  auto refused = strong_components(heap.references, {kStrongOnly}, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
}
