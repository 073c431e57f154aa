#include "analysis/reachable/condensation.h"

#include <doctest/doctest.h>

#include <set>
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

// Between two components there is one reference exactly where some object of the one refers to some object of the other.
bool right(LabGraph& graph, const CondensationScope& scope) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  auto made = condense(heap.references, scope, heap.arena(), heap.cancel);
  if (!made) return false;
  const Condensation& c = *made;
  std::vector<std::set<std::uint32_t>> rows(c.count());
  std::vector<std::uint64_t> bytes(c.count());
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    const std::uint32_t node = c.components.component[v];
    if (node >= c.count()) return false;
    bytes[node] += s.shallow_bytes(ObjectId{v});
    for (const lab::NaiveEdge& e : lab::naive_row(s, v)) {
      if (e.implied && !scope.class_references) continue;
      if ((scope.holding & strength_bit(e.strength)) == 0) continue;
      const std::uint32_t to = c.components.component[e.to];
      if (to > node) return false;
      if (to != node) rows[node].insert(to);
    }
  }
  std::set<std::uint32_t> referred;
  std::uint32_t sinks = 0;
  for (std::uint32_t node = 0; node < c.count(); ++node) {
    const auto row = c.row(node);
    if (std::set<std::uint32_t>(row.begin(), row.end()) != rows[node]) return false;
    if (row.size() != rows[node].size() || c.shallow_bytes[node] != bytes[node]) return false;
    referred.insert(row.begin(), row.end());
    sinks += row.empty() ? 1 : 0;
  }
  return c.sinks == sinks && c.sources == c.count() - referred.size();
}

}  // namespace

TEST_CASE("condensation: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, {}));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph, {}) ? 0 : 1; });
  CHECK(wrong == 0);
}

TEST_CASE("condensation: random graphs, with and without class objects, by strength") {
  const StrengthSet all = holding_strengths(kRetainStrong | kRetainSoft | kRetainWeak);
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    INFO("seed ", seed);
    for (const CondensationScope& scope :
         {CondensationScope{kStrongOnly, false}, CondensationScope{all, true}})
      REQUIRE(lab::counterexample(graph, "condensation",
                                  [&](LabGraph& g) { return right(g, scope); }) == "");
  }
}

TEST_CASE("condensation: cancelled, or without memory, it is an error and leaves nothing") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  CancelToken cancelled;
  cancelled.cancel();
  const std::size_t before = heap.arena().used_bytes();
  CHECK(!condense(heap.references, {}, heap.arena(), cancelled).ok());
  CHECK(heap.arena().used_bytes() == before);
  lab::TestArena small(2'000'000);
  auto refused = condense(heap.references, {}, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
