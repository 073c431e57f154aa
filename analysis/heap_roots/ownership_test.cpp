#include "analysis/heap_roots/ownership.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

constexpr LinkScope kScopes[] = {{false, false}, {true, false}, {false, true}, {true, true}};

std::vector<std::uint32_t> links_of(const Snapshot& s, const LinkScope& scope, std::uint32_t v) {
  std::vector<std::uint32_t> links;
  for (const lab::NaiveEdge& e : lab::naive_row(s, v)) {
    if (e.to == v || (e.implied && !scope.class_references)) continue;
    if (e.strength == Strength::kStrong || !scope.strong_only) links.push_back(e.to);
  }
  return links;
}

// The definition, one root after another, with a stack of what is left to explore of each object; figures by walking up from every
// object.
struct Definition {
  std::vector<OwnedObject> objects;
  std::vector<std::uint32_t> roots;

  Definition(const Snapshot& s, const LinkScope& scope)
      : objects(s.object_count(), OwnedObject{0, ObjectId::kNoneValue, 0, 0, 0}) {
    std::vector<bool> referred(s.object_count());
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      for (const std::uint32_t to : links_of(s, scope, v)) referred[to] = true;
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      if (!referred[v]) explore(s, scope, v, OwnedObject::kPureRoot);
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      if (objects[v].owner == ObjectId::kNoneValue)
        explore(s, scope, v, OwnedObject::kArtificialRoot);
    for (std::uint32_t v = 0; v < s.object_count(); ++v) count(s, v);
  }

  void explore(const Snapshot& s, const LinkScope& scope, std::uint32_t root, std::uint32_t kind) {
    struct Call {
      std::uint32_t object;
      std::vector<std::uint32_t> left;
    };
    std::vector<Call> calls;
    const auto call = [&](std::uint32_t v, std::uint32_t by) {
      objects[v].owner = root;
      objects[v].parent = by;
      calls.push_back({v, links_of(s, scope, v)});
    };
    roots.push_back(root);
    call(root, kind);
    while (!calls.empty()) {
      Call& now = calls.back();
      if (now.left.empty()) {
        calls.pop_back();
        continue;
      }
      const std::uint32_t to = now.left.front();
      now.left.erase(now.left.begin());
      if (objects[to].owner == ObjectId::kNoneValue) call(to, now.object);
    }
  }

  void count(const Snapshot& s, std::uint32_t object) {
    const std::uint64_t bytes = s.shallow_bytes(ObjectId{object});
    std::uint32_t steps = 0;
    objects[object].subtree_bytes += bytes;
    for (std::uint32_t v = object; v != objects[object].owner;) {
      v = objects[v].parent;
      ++objects[v].descendants;
      objects[v].subtree_bytes += bytes;
      objects[v].max_depth = std::max(objects[v].max_depth, ++steps);
    }
  }
};

bool same(const OwnedObject& a, const OwnedObject& b) {
  return a.owner == b.owner && a.parent == b.parent && a.descendants == b.descendants &&
         a.max_depth == b.max_depth && a.subtree_bytes == b.subtree_bytes;
}

// What holds of every heap, whoever wrote the search.
bool sound(const Snapshot& s, const Ownership& o) {
  std::uint64_t all_bytes = 0, root_bytes = 0, owned = 0;
  std::vector<std::uint64_t> below(s.object_count());
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    const OwnedObject& one = o.objects[v];
    all_bytes += s.shallow_bytes(ObjectId{v});
    if (one.is_root() != (one.owner == v)) return false;
    if (one.is_root()) continue;
    if (o.objects[one.parent].owner != one.owner) return false;
    below[one.parent] += one.descendants + 1;
  }
  for (const std::uint32_t root : o.roots) {
    if (!o.objects[root].is_root()) return false;
    root_bytes += o.objects[root].subtree_bytes;
    owned += o.objects[root].descendants + 1;
  }
  return all_bytes == root_bytes && owned == s.object_count() &&
         std::ranges::equal(below, o.objects, {}, {}, &OwnedObject::descendants);
}

bool right(LabGraph& graph, const LinkScope& scope) {
  static lab::TestArena memory;
  const ArenaScope scratch(memory.arena());
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  auto references = CountedReferences::make(s, memory.arena(), cancel);
  REQUIRE(references.ok());
  auto found = find_ownership(*references, scope, memory.arena(), cancel);
  REQUIRE(found.ok());
  const Definition wanted(s, scope);
  const auto pure =
      std::ranges::count(wanted.objects, OwnedObject::kPureRoot, &OwnedObject::parent);
  return sound(s, *found) && std::ranges::equal(found->objects, wanted.objects, same) &&
         std::ranges::equal(found->roots, wanted.roots) &&
         found->pure_roots == static_cast<std::uint32_t>(pure);
}

}  // namespace

TEST_CASE("ownership: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, kScopes[0]));
    LabGraph reversed = lab::reversed_children(shape.graph);
    CHECK(right(reversed, kScopes[0]));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      if (graph.roots.size() == 1) wrong += right(graph, kScopes[0]) ? 0 : 1;
    });
  CHECK(wrong == 0);
}

TEST_CASE("ownership: seeded random graphs with class objects, all strengths and all scopes") {
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    INFO("seed ", seed);
    for (const LinkScope& scope : kScopes) REQUIRE(right(graph, scope));
  }
}

TEST_CASE("ownership: a soft link owns like a strong one, unless strong ones alone count") {
  LabGraph graph = lab::graph_of(3, {{0, 2, special(SpecialRef::kReferentWeak)}, {1, 2}}, {});
  const Snapshot s = graph.snapshot();
  lab::TestArena memory;
  const CancelToken cancel;
  auto references = CountedReferences::make(s, memory.arena(), cancel);
  REQUIRE(references.ok());
  auto all = find_ownership(*references, {}, memory.arena(), cancel);
  auto strong = find_ownership(*references, {.strong_only = true}, memory.arena(), cancel);
  REQUIRE(all.ok());
  REQUIRE(strong.ok());
  CHECK(all->objects[2].owner == 0);
  CHECK(strong->objects[2].owner == 1);
}

TEST_CASE("ownership: a chain and a ring of a million, within the stated bytes an object") {
  constexpr std::uint32_t kObjects = 1'000'000;
  LabGraph graph = lab::chain(kObjects);
  lab::TestArena memory(std::uint64_t{1} << 28);
  const CancelToken cancel;
  for (const bool ring : {false, true}) {
    if (ring) {
      graph.target.push_back(ObjectId{0});
      graph.label.push_back(RefLabel{});
      ++graph.first_ref.back();
    }
    const Snapshot s = graph.snapshot();
    const ArenaScope scratch(memory.arena());
    auto references = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(references.ok());
    auto found = find_ownership(*references, LinkScope{}, memory.arena(), cancel);
    REQUIRE(found.ok());
    REQUIRE(found->roots.size() == 1);
    CHECK(found->pure_roots == (ring ? 0 : 1));
    CHECK(found->objects[0].max_depth == kObjects - 1);
    CHECK(found->objects[0].descendants == kObjects - 1);
    CHECK(found->objects[0].subtree_bytes == std::uint64_t{8} * kObjects * (kObjects + 1) / 2);
    CHECK(found->objects[kObjects - 1].owner == 0);
  }
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(ownership_bytes(kObjects, 1)));
}

TEST_CASE("ownership: cancelled, or without memory, nothing is left behind") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  const CancelToken cancel;
  CancelToken cancelled;
  cancelled.cancel();
  for (const std::uint64_t limit :
       {std::uint64_t{1} << 28, std::uint64_t{1'500'000}, std::uint64_t{2'408'000}}) {
    lab::TestArena memory(limit);
    auto references = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(references.ok());
    const Arena::Mark before = memory.arena().mark();
    const bool roomy = limit > 3'000'000;
    const auto found =
        find_ownership(*references, LinkScope{}, memory.arena(), roomy ? cancelled : cancel);
    REQUIRE(!found.ok());
    CHECK(found.error().code == (roomy ? ErrorCode::kCancelled : ErrorCode::kOutOfBudget));
    CHECK(memory.arena().mark() == before);
  }
}
