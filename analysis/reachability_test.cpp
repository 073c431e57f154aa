#include "analysis/reachability.h"

#include <doctest/doctest.h>

#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

lab::TestArena& shared_arena() {
  static lab::TestArena arena(std::uint64_t{1} << 30);
  return arena;
}

Reachability find(const Snapshot& snapshot) {
  const CancelToken cancel;
  auto references = CountedReferences::make(snapshot, shared_arena().arena(), cancel);
  REQUIRE(references.ok());
  auto found = find_reachability(*references, shared_arena().arena(), cancel);
  REQUIRE(found.ok());
  return *found;
}

std::uint32_t steps_up(const Reachability& found, std::uint32_t v) {
  std::uint32_t steps = 0;
  if (found.parent[v] == ObjectId::kNoneValue) return 0;
  for (std::uint32_t at = v; at != Reachability::kRoot; at = found.parent[at]) ++steps;
  return steps;
}

bool right(LabGraph& graph) {
  ArenaScope scope(shared_arena().arena());
  const Snapshot s = graph.snapshot();
  const Reachability found = find(s);
  const lab::NaiveReachability naive = lab::naive_reachability(s);
  std::uint64_t objects = 0;
  for (const std::uint64_t count : found.objects) objects += count;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (found.strength[v] != naive.strength[v] || steps_up(found, v) != naive.distance[v])
      return false;
  return objects == s.object_count();
}

}  // namespace

TEST_CASE("reachability: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { wrong += right(graph) ? 0 : 1; });
  CHECK(wrong == 0);
}

TEST_CASE("reachability: seeded random graphs with all strengths; the way up is the shortest") {
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    INFO("seed ", seed);
    REQUIRE(lab::counterexample(graph, "reachability", right) == "");
  }
}

TEST_CASE(
    "reachability: an object is as firmly held as its best path, each path as its weakest "
    "reference") {
  // 0 -soft-> 1 -weak-> 2; 0 -weak-> 3 -soft-> 2; 0 -phantom-> 4; 5 unreachable; 0 -final-> 6 -> 1
  LabGraph graph = lab::graph_of(7,
                                 {{0, 1, special(SpecialRef::kReferentSoft)},
                                  {1, 2, special(SpecialRef::kReferentWeak)},
                                  {0, 3, special(SpecialRef::kReferentWeak)},
                                  {3, 2, special(SpecialRef::kReferentSoft)},
                                  {0, 4, special(SpecialRef::kReferentPhantom)},
                                  {0, 6, special(SpecialRef::kReferentFinal)},
                                  {6, 1}},
                                 {0});
  ArenaScope scope(shared_arena().arena());
  const Reachability found = find(graph.snapshot());
  const Strength wanted[] = {Strength::kStrong, Strength::kSoft,    Strength::kWeak,
                             Strength::kWeak,   Strength::kPhantom, Strength::kUnreachable,
                             Strength::kFinal};
  for (std::uint32_t v = 0; v < 7; ++v) CHECK(found.strength[v] == wanted[v]);
  CHECK(found.shallow_bytes[static_cast<std::size_t>(Strength::kSoft)] == 16);
  CHECK(found.objects[static_cast<std::size_t>(Strength::kUnreachable)] == 1);
}

TEST_CASE("reachability: among equally short ways the root that tells more wins") {
  LabGraph graph = lab::graph_of(4, {{0, 3}, {1, 3}, {2, 3}}, {});
  graph.add_root(0, RootKind::kOther);
  graph.add_root(1, RootKind::kStackLocal);
  graph.add_root(2, RootKind::kMonitor);
  ArenaScope scope(shared_arena().arena());
  CHECK(find(graph.snapshot()).parent[3] == 1);
}

TEST_CASE("reachability: a thread explains more than a nearer local of a running frame") {
  LabGraph graph = lab::graph_of(5, {{0, 3}, {1, 2}, {2, 3}, {3, 4}}, {});
  graph.add_root(0, RootKind::kStackLocal);
  graph.add_root(1, RootKind::kThread);
  graph.add_root(3, RootKind::kJniLocal);
  ArenaScope scope(shared_arena().arena());
  Snapshot s = graph.snapshot();
  CHECK(find(s).parent[3] == 2);
  CHECK(find(s).parent[0] == Reachability::kRoot);  // what nothing else reaches
  s.roots_alike = true;                             // MAT's rules
  CHECK(find(s).parent[3] == Reachability::kRoot);
}

TEST_CASE("reachability: a certain root tells more than a possible one that is nearer") {
  LabGraph graph = lab::graph_of(5, {{0, 3}, {1, 2}, {2, 3}, {3, 4}}, {});
  graph.add_root(0, RootKind::kPossibleStackSlot);
  graph.add_root(1, RootKind::kOther);
  graph.add_root(3, RootKind::kPossibleStackSlot);
  ArenaScope scope(shared_arena().arena());
  const Reachability found = find(graph.snapshot());
  CHECK(found.parent[3] == 2);
  CHECK(found.parent[4] == 3);
  CHECK(found.parent[0] == Reachability::kRoot);
  CHECK(found.strength[0] == Strength::kStrong);
}

TEST_CASE("reachability: a possible stack slot holds, and tells less than any other root") {
  LabGraph graph = lab::graph_of(4, {{0, 2}, {1, 2}, {0, 3}}, {});
  graph.add_root(0, RootKind::kPossibleStackSlot);
  graph.add_root(1, RootKind::kOther);
  ArenaScope scope(shared_arena().arena());
  const Reachability found = find(graph.snapshot());
  CHECK(found.parent[2] == 1);
  CHECK(found.parent[3] == 0);
  CHECK(found.strength[3] == Strength::kStrong);
}

TEST_CASE("reachability: a chain of a million, and memory of 9 bytes an object") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  lab::TestArena bench(std::uint64_t{1} << 28);
  const CancelToken cancel;
  auto references = CountedReferences::make(s, bench.arena(), cancel);
  REQUIRE(references.ok());
  auto found = find_reachability(*references, bench.arena(), cancel);
  REQUIRE(found.ok());
  CHECK(found->parent[999'999] == 999'998);
  CHECK(static_cast<double>(bench.peak_bytes()) <
        1.05 * static_cast<double>(reachability_bytes(1'000'000, 0)));
}
