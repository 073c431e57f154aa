#include "analysis/heap_roots/keeping_alive.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/heap_roots/ownership.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

using Members = std::vector<bool>;
constexpr LinkScope kScopes[] = {{false, false}, {true, false}, {false, true}, {true, true}};
constexpr StrengthSet kAllStrengths = 0x1F;

Members reached_from(const Snapshot& s, const LinkScope& scope, std::uint32_t from,
                     std::uint32_t without) {
  Members reached(s.object_count());
  std::vector<std::uint32_t> queue = {from};
  while (!queue.empty()) {
    const std::uint32_t v = queue.back();
    queue.pop_back();
    for (const lab::NaiveEdge& e : lab::naive_row(s, v)) {
      if (e.to == without || reached[e.to] || (e.implied && !scope.class_references)) continue;
      if (scope.strong_only && e.strength != Strength::kStrong) continue;
      reached[e.to] = true;
      queue.push_back(e.to);
    }
  }
  return reached;
}

bool same(const Snapshot& s, const ObjectSet& set, const Members& wanted) {
  std::uint64_t objects = 0, bytes = 0;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (set.contains(v) != wanted[v]) return false;
    objects += wanted[v] ? 1 : 0;
    bytes += wanted[v] ? s.shallow_bytes(ObjectId{v}) : 0;
  }
  return set.objects == objects && set.shallow_bytes == bytes;
}

// The definition: one search for every object that is outside.
bool right(const Snapshot& s, const LinkScope& scope, std::uint32_t object,
           const KeepingAlive& found) {
  const Members reachable = reached_from(s, scope, object, object);
  Members kept = reachable;
  for (std::uint32_t from = 0; from < s.object_count(); ++from) {
    if (from == object || reachable[from]) continue;
    const Members others = reached_from(s, scope, from, object);
    for (std::uint32_t v = 0; v < s.object_count(); ++v) kept[v] = kept[v] && !others[v];
  }
  return same(s, found.reachable, reachable) && same(s, found.kept, kept);
}

// In a heap that is held as a whole, by roots that the object does not reach, the retained set is the kept one and the object.
bool as_retained(const Snapshot& s, std::uint32_t object, const KeepingAlive& found) {
  for (const RootRecord& root : s.roots)
    if (found.reachable.contains(root.object.value)) return true;
  Members removed(s.object_count());
  removed[object] = true;
  const Members left = lab::naive_marked(s, kAllStrengths, removed);
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (v != object && left[v] == found.kept.contains(v)) return false;
  return true;
}

// Every object of a graph.
bool right(LabGraph& graph, const LinkScope& scope) {
  static lab::TestArena memory;
  const ArenaScope scratch(memory.arena());
  const CancelToken cancel;
  const Snapshot plain = graph.snapshot();
  auto references = CountedReferences::make(plain, memory.arena(), cancel);
  REQUIRE(references.ok());
  auto roots = find_ownership(*references, scope, memory.arena(), cancel);
  REQUIRE(roots.ok());
  LabGraph held = graph;
  held.roots.clear();
  for (const std::uint32_t root : roots->roots) held.add_root(root);
  const Snapshot s = held.snapshot();
  const bool whole = scope.class_references && !scope.strong_only;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    const ArenaScope again(memory.arena());
    auto found = find_keeping_alive(*references, scope, ObjectId{v}, memory.arena(), cancel);
    REQUIRE(found.ok());
    if (!right(s, scope, v, *found) || (whole && !as_retained(s, v, *found))) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("keeping alive: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, kScopes[1]));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      if (graph.roots.size() == 1) wrong += right(graph, {false, true}) ? 0 : 1;
    });
  CHECK(wrong == 0);
}

TEST_CASE("keeping alive: seeded random graphs with class objects, all strengths and all scopes") {
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    INFO("seed ", seed);
    REQUIRE(right(graph, kScopes[seed % 4]));
  }
}

TEST_CASE("keeping alive: a chain of a million, within the stated bytes an object") {
  constexpr std::uint32_t kObjects = 1'000'000;
  LabGraph graph = lab::chain(kObjects);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  lab::TestArena memory(std::uint64_t{1} << 28);
  auto references = CountedReferences::make(s, memory.arena(), cancel);
  REQUIRE(references.ok());
  auto found = find_keeping_alive(*references, LinkScope{}, ObjectId{9}, memory.arena(), cancel);
  REQUIRE(found.ok());
  CHECK(found->reachable.objects == kObjects - 10);
  CHECK(found->kept.objects == kObjects - 10);
  CHECK(found->kept.shallow_bytes == std::uint64_t{8} * (kObjects - 10) * (kObjects + 11) / 2);
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(keeping_alive_bytes(kObjects)));
}

TEST_CASE("keeping alive: cancelled, or without memory, nothing is left behind") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  CancelToken cancelled;
  cancelled.cancel();
  for (const std::uint64_t limit : {std::uint64_t{1} << 28, std::uint64_t{300'000}}) {
    lab::TestArena memory(limit);
    auto references = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(references.ok());
    const Arena::Mark before = memory.arena().mark();
    const bool roomy = limit > 400'000;
    const auto found = find_keeping_alive(*references, LinkScope{}, ObjectId{0}, memory.arena(),
                                          roomy ? cancelled : cancel);
    REQUIRE(!found.ok());
    CHECK(found.error().code == (roomy ? ErrorCode::kCancelled : ErrorCode::kOutOfBudget));
    CHECK(memory.arena().mark() == before);
  }
}
