#include "analysis/set_retained.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

ObjectSet set_of(const Snapshot& s, const std::vector<bool>& members) {
  ObjectSet set = AnalysedHeap::or_abort(ObjectSet::make(s, AnalysedHeap::arena()));
  for (std::uint32_t v = 0; v < members.size(); ++v)
    if (members[v]) set.insert(s, v);
  return set;
}

// The definition: the held members that no other member dominates, with everything below them.
MinimumRetained slow_minimum(const Snapshot& s, const std::vector<bool>& members,
                             StrengthSet holding) {
  const lab::NaiveDominators d = lab::naive_dominators(s, holding);
  MinimumRetained found;
  std::vector<bool> below(members.size());
  for (std::uint32_t v = 0; v < members.size(); ++v) {
    if (d.idom[v] == ObjectId::kNoneValue) continue;
    bool member_above = false;
    for (std::uint32_t at = d.idom[v]; at != Dominators::kRoot; at = d.idom[at])
      member_above = member_above || members[at];
    found.retained_objects += member_above || members[v] ? 1 : 0;
    if (!members[v]) continue;
    ++found.members;
    found.member_shallow_bytes += s.shallow_bytes(ObjectId{v});
    if (member_above) continue;
    ++found.top_members;
    found.retained_bytes += d.retained_bytes[v];
  }
  return found;
}

bool right(LabGraph& graph, const std::vector<bool>& members, StrengthSet holding = kStrongOnly) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s, holding);
  const ObjectSet set = set_of(s, members);
  auto minimum = minimum_retained(s, heap.dominators, set, heap.cancel);
  if (!minimum) return false;
  const MinimumRetained slow = slow_minimum(s, members, holding);
  if (minimum->members != slow.members || minimum->top_members != slow.top_members ||
      minimum->member_shallow_bytes != slow.member_shallow_bytes ||
      minimum->retained_objects != slow.retained_objects ||
      minimum->retained_bytes != slow.retained_bytes)
    return false;
  auto exact =
      retained_set(heap.references, holding, heap.dominators, set, heap.arena(), heap.cancel);
  if (!exact) return false;
  const auto before = lab::naive_marked(s, holding, std::vector<bool>(members.size()));
  const auto after = lab::naive_marked(s, holding, members);
  for (std::uint32_t v = 0; v < members.size(); ++v)
    if (exact->contains(v) != (before[v] && !after[v])) return false;
  return exact->shallow_bytes == lab::naive_retained(s, holding, members) &&
         exact->shallow_bytes >= minimum->retained_bytes;
}

std::vector<bool> members_of(std::uint32_t bits, std::uint32_t objects) {
  std::vector<bool> members(objects);
  for (std::uint32_t v = 0; v < objects; ++v) members[v] = (bits >> v & 1u) != 0;
  return members;
}

}  // namespace

TEST_CASE("set retained: every graph of at most 4 objects, every set where they are 3") {
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 3; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      for (std::uint32_t bits = 0; bits < 1u << objects; ++bits)
        wrong += right(graph, members_of(bits, objects)) ? 0 : 1;
    });
  std::uint32_t bits = 0;  // of 4 objects, another set each time
  lab::for_all_graphs(
      4, [&](LabGraph& graph) { wrong += right(graph, members_of(bits++ % 16, 4)) ? 0 : 1; });
  CHECK(wrong == 0);
}

TEST_CASE("set retained: named shapes and random graphs with random sets") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    std::vector<bool> members(shape.graph.object_count());
    for (std::size_t v = 0; v < members.size(); v += 3) members[v] = true;
    CHECK(right(shape.graph, members));
  }
  const StrengthSet sets[] = {kStrongOnly, holding_strengths(kRetainStrong | kRetainSoft)};
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    lab::Random random(seed);
    std::vector<bool> members(graph.object_count());
    const std::uint32_t percent = 1 + random.below(60);
    for (std::size_t v = 0; v < members.size(); ++v) members[v] = random.chance(percent);
    REQUIRE(lab::counterexample(graph, "set retained", [&](LabGraph& g) {
              return right(g, members, sets[seed % 2]);
            }) == "");
  }
}

TEST_CASE("set retained: what two members hold together only the exact size knows") {
  LabGraph graph = lab::graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {0});
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet set = set_of(s, {false, true, true, false});
  CHECK(minimum_retained(s, heap.dominators, set, heap.cancel)->retained_bytes == 16 + 24);
  CHECK(retained_set(heap.references, kStrongOnly, heap.dominators, set, heap.arena(), heap.cancel)
            ->shallow_bytes == 16 + 24 + 32);
}

TEST_CASE("set retained: a chain of a million with more than 4 GB") {
  LabGraph graph = lab::chain(1'000'000);
  for (std::uint32_t& units : graph.shallow_units) units = 1000;
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  std::vector<bool> members(1'000'000);
  members[10] = members[500'000] = true;
  const ObjectSet set = set_of(s, members);
  auto minimum = minimum_retained(s, heap.dominators, set, heap.cancel);
  REQUIRE(minimum.ok());
  CHECK(minimum->top_members == 1);
  CHECK(minimum->retained_bytes == 999'990ull * 8000);
  auto exact =
      retained_set(heap.references, kStrongOnly, heap.dominators, set, heap.arena(), heap.cancel);
  REQUIRE(exact.ok());
  CHECK(exact->objects == 999'990);
  CHECK(exact->shallow_bytes == 999'990ull * 8000);
}

TEST_CASE("set retained: cancelled, or without memory, it is an error") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet set = set_of(s, std::vector<bool>(100'000));
  lab::TestArena small(100'000);
  auto refused =
      retained_set(heap.references, kStrongOnly, heap.dominators, set, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!minimum_retained(s, heap.dominators, set, cancelled).ok());
  CHECK(!retained_set(heap.references, kStrongOnly, heap.dominators, set, heap.arena(), cancelled)
             .ok());
}
