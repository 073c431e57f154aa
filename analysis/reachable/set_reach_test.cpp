#include "analysis/reachable/set_reach.h"

#include <doctest/doctest.h>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/reachable/reachable_size.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

constexpr StrengthSet kHolding = holding_strengths(kRetainStrong | kRetainSoft);

ObjectSet set_of(const Snapshot& s, const std::vector<std::uint32_t>& members) {
  ObjectSet set = AnalysedHeap::or_abort(ObjectSet::make(s, AnalysedHeap::arena()));
  for (const std::uint32_t v : members) set.insert(s, v);
  return set;
}

ObjectSet reached_from(const AnalysedHeap& heap, const ObjectSet& set) {
  return heap.or_abort(set_reach(heap.references, kHolding, set, heap.arena(), heap.cancel));
}

// Nothing else than the members and the referents of what is reached is reached.
std::vector<bool> slowly_reached(const Snapshot& s, const ObjectSet& set) {
  std::vector<bool> reached(s.object_count());
  set.for_each([&](std::uint32_t v) { reached[v] = true; });
  for (bool again = true; again;) {
    again = false;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      for (std::uint32_t i = s.first_ref[v]; reached[v] && i < s.first_ref[v + 1]; ++i) {
        if ((kHolding & strength_bit(strength_of(s.label[i]))) == 0) continue;
        again = again || !reached[s.target[i].value];
        reached[s.target[i].value] = true;
      }
  }
  return reached;
}

bool right(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  const AnalysedHeap heap(s, kHolding);
  lab::Random random(s.object_count());
  std::vector<std::uint32_t> members;
  for (std::uint32_t i = 0; i < 3 && s.object_count() > 0; ++i)
    members.push_back(random.below(s.object_count()));
  const ObjectSet set = set_of(s, members);
  const ObjectSet found = reached_from(heap, set);
  const std::vector<bool> reached = slowly_reached(s, set);
  std::uint64_t objects = 0, bytes = 0;
  bool same = true;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    same = same && found.contains(v) == reached[v];
    objects += reached[v] ? 1 : 0;
    bytes += reached[v] ? s.shallow_bytes(ObjectId{v}) : 0;
  }
  return same && found.objects == objects && found.shallow_bytes == bytes;
}

}  // namespace

TEST_CASE("set reach: named shapes and random graphs, against the definition") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph));
  }
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    REQUIRE(lab::counterexample(graph, "set-reach", right) == "");
  }
}

TEST_CASE("set reach: of one object it is its reachable size") {
  LabGraph graph = lab::random_graph({60, 140, 2, 4, 20}, 5);
  const Snapshot s = graph.snapshot();
  const AnalysedHeap heap(s, kHolding);
  const auto made = heap.or_abort(condense(heap.references, {kHolding}, heap.arena(), heap.cancel));
  const auto sizes = heap.or_abort(reachable_sizes(made, {}, heap.arena(), heap.cancel));
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    CHECK(reached_from(heap, set_of(s, {v})).shallow_bytes == sizes.of(ObjectId{v}));
}

TEST_CASE("set reach: a buffer and a list of the same objects reach as much together as each") {
  LabGraph graph = lab::graph_of(6, {{0, 1}, {0, 2}, {1, 3}, {1, 4}, {2, 4}, {2, 3}, {3, 5}}, {0});
  const Snapshot s = graph.snapshot();
  const AnalysedHeap heap(s);
  CHECK(reached_from(heap, set_of(s, {1})).objects == 4);
  CHECK(reached_from(heap, set_of(s, {2})).objects == 4);
  CHECK(reached_from(heap, set_of(s, {1, 2})).objects == 5);
  CHECK(reached_from(heap, set_of(s, {})).objects == 0);
}

TEST_CASE("set reach: cancelled and without memory it leaves nothing behind") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  const AnalysedHeap heap(s);
  const ObjectSet set = set_of(s, {0});
  CancelToken cancelled;
  cancelled.cancel();
  const Arena::Mark before = heap.arena().mark();
  CHECK_FALSE(set_reach(heap.references, kHolding, set, heap.arena(), cancelled).ok());
  CHECK(heap.arena().mark() == before);
  lab::TestArena small(100'000);
  const auto refused = set_reach(heap.references, kHolding, set, small.arena(), heap.cancel);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
