#include "analysis/dominator_path.h"

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

// The definition: an object's dominators are those whose removal makes it unreachable; the path is all of them, by how many
// dominators they have themselves.
bool right(LabGraph& graph, std::uint32_t max_steps) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const lab::NaiveDominators naive = lab::naive_dominators(s, kStrongOnly);
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    std::vector<std::uint32_t> wanted;
    if (naive.idom[v] != ObjectId::kNoneValue)
      for (std::uint32_t at = v; at != Dominators::kRoot; at = naive.idom[at])
        wanted.insert(wanted.begin(), at);
    auto path = dominator_path(s, heap.dominators, ObjectId{v}, max_steps, heap.arena());
    if (!path) return false;
    if (path->length != wanted.size()) return false;
    if (path->steps.size() != std::min<std::size_t>(wanted.size(), max_steps)) return false;
    const std::size_t left_out = wanted.size() - path->steps.size();
    for (std::size_t i = 0; i < path->steps.size(); ++i) {
      const bool front = left_out == 0 || i < max_steps / 2;
      const std::uint32_t object = wanted[front ? i : i + left_out];
      const DominatorStep& step = path->steps[i];
      if (step.object.value != object || step.retained_bytes != naive.retained_bytes[object] ||
          step.shallow_bytes != s.shallow_bytes(ObjectId{object}))
        return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("dominator path: every graph of at most 4 objects, named shapes, random graphs") {
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph, 3) ? 0 : 1; });
  CHECK(wrong == 0);
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, 4));
  }
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, false);
    const std::uint32_t max_steps = 1 + static_cast<std::uint32_t>(seed % 5);
    REQUIRE(lab::counterexample(graph, "dominator path",
                                [&](LabGraph& g) { return right(g, max_steps); }) == "");
  }
}

TEST_CASE("dominator path: the middle of a chain of a million is left out") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  auto path = dominator_path(s, heap.dominators, ObjectId{999'999}, 11, heap.arena());
  REQUIRE(path.ok());
  CHECK(path->length == 1'000'000);
  REQUIRE(path->steps.size() == 11);
  CHECK(path->left_out_after == 4);
  CHECK(path->steps[4].object.value == 4);
  CHECK(path->steps[5].object.value == 999'994);
  CHECK(path->steps[10].object.value == 999'999);
  CHECK(path->steps[0].retained_bytes == heap.dominators.held_bytes);
}

TEST_CASE("dominator path: what is not held has none") {
  LabGraph graph = lab::graph_of(2, {}, {0});
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  CHECK(dominator_path(s, heap.dominators, ObjectId{1}, 8, heap.arena())->length == 0);
  CHECK(dominator_path(s, heap.dominators, ObjectId{}, 8, heap.arena())->length == 0);
  CHECK(dominator_path(s, heap.dominators, ObjectId{0}, 0, heap.arena())->steps.empty());
}
