#include "analysis/root_paths.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/reachability.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

struct Made {
  lab::TestArena memory{std::uint64_t{1} << 27};
  CancelToken cancel;
  CountedReferences references;
  Reachability reachability;

  explicit Made(const Snapshot& s) {  // s outlives it
    auto counted = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(counted.ok());
    references = *counted;
    auto reached = find_reachability(references, memory.arena(), cancel);
    REQUIRE(reached.ok());
    reachability = *reached;
  }
  RootPathResult path(ObjectId object) {
    auto made = root_path(references, reachability, object, memory.arena());
    REQUIRE(made.ok());
    return *made;
  }
};

bool refers(const Snapshot& s, ObjectId from, const PathStepResult& to) {
  if (to.label == special(SpecialRef::kClass) && s.implied_class_object(from) == to.object)
    return true;
  for (std::uint32_t i = s.first_ref[from.value]; i < s.first_ref[from.value + 1]; ++i)
    if (s.target[i] == to.object && s.label[i] == to.label) return true;
  return false;
}

bool right(const Snapshot& s, const RootPathResult& path, std::uint32_t v,
           const lab::NaiveReachability& naive) {
  if (path.length != naive.distance[v]) return false;
  if (path.steps.size() != std::min(path.length, kMaxPathSteps)) return false;
  if (path.length == 0 || path.length > kMaxPathSteps) return true;
  if (path.strength != naive.strength[v] || path.steps.back().object.value != v) return false;
  if (s.roots[path.root].object != path.steps[0].object) return false;
  Strength weakest = Strength::kStrong;
  for (std::size_t i = 1; i < path.steps.size(); ++i) {
    if (!refers(s, path.steps[i - 1].object, path.steps[i])) return false;
    weakest = std::max(weakest, strength_of(path.steps[i].label));
  }
  return weakest == path.strength;
}

bool all_right(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  Made made(s);
  const lab::NaiveReachability naive = lab::naive_reachability(s);
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (!right(s, made.path(ObjectId{v}), v, naive)) return false;
  return true;
}

}  // namespace

TEST_CASE(
    "root paths: every step is a reference, the path the shortest, its strength the object's") {
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    INFO("seed ", seed);
    const LabGraph graph = lab::random_graph(seed, true);
    REQUIRE(lab::counterexample(graph, "root paths", all_right) == "");
  }
}

TEST_CASE("root paths: the middle of a long one is left out") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  Made made(s);
  const RootPathResult path = made.path(ObjectId{999'999});
  CHECK(path.length == 1'000'000);
  REQUIRE(path.steps.size() == kMaxPathSteps);
  CHECK(path.left_out_after == kMaxPathSteps / 2 - 1);
  CHECK(path.steps[path.left_out_after].object.value == path.left_out_after);
  CHECK(path.steps[path.left_out_after + 1].object.value == 1'000'000 - kMaxPathSteps / 2);
  CHECK(path.steps.back().object.value == 999'999);
}

TEST_CASE("root paths: a static field is preferred to a handle, and every step has its name") {
  lab::TestHeap heap;
  const ClassId main = heap.klass("shop.Main", {"sessions"});
  const ClassId map = heap.klass("java.util.HashMap", {"table"});
  const ObjectId sessions = heap.object(map, 48);
  const ObjectId table = heap.object(heap.klass("java.util.HashMap$Node[]"), 64);
  const ObjectId handle = heap.object(heap.klass("java.lang.Object[]"), 24);
  heap.root(handle, RootKind::kOther);
  heap.element(handle, 3, sessions);
  heap.static_field(main, "sessions", sessions);
  heap.field(sessions, "table", table);
  const Snapshot s = heap.snapshot();
  Made made(s);
  const RootPathResult path = made.path(table);
  REQUIRE(path.length == 3);
  CHECK(s.roots[path.root].kind == RootKind::kSystemClass);
  CHECK(path.steps[0].object == heap.class_object(main));
  REQUIRE(path.steps[1].label.is_static_field());
  CHECK(s.catalog.field_name(main, path.steps[1].label.index()) == "sessions");
  REQUIRE(path.steps[2].label.is_instance_field());
  CHECK(s.catalog.field_name(map, path.steps[2].label.index()) == "table");
}

TEST_CASE("root paths: a thread's own fields begin at the thread, not at a frame that has it") {
  lab::TestHeap heap;
  const ThreadId worker = heap.thread("worker");
  const ObjectId locals = heap.object(heap.klass("java.lang.ThreadLocal$ThreadLocalMap"), 24);
  heap.refer(heap.thread_object(worker), locals, RefLabel::instance_field(0));
  heap.local(worker, heap.thread_object(worker), "java.util.concurrent.ForkJoinPool",
             "managedBlock");
  const Snapshot s = heap.snapshot();
  Made made(s);
  const RootPathResult path = made.path(locals);
  REQUIRE(path.length == 2);
  CHECK(s.roots[path.root].kind == RootKind::kThread);
}

TEST_CASE("root paths: a possible stack slot is told where nothing else is as near") {
  lab::TestHeap heap;
  const ThreadId worker = heap.thread("worker");
  const ObjectId alone = heap.object(heap.klass("shop.Order"), 24);
  const ObjectId twice = heap.object(heap.klass("shop.Order"), 24);
  for (const ObjectId object : {alone, twice})
    heap.local(worker, object, "shop.Report", "run", 2, RootKind::kPossibleStackSlot);
  heap.root(twice, RootKind::kHandle);
  const Snapshot s = heap.snapshot();
  Made made(s);
  const RootPathResult possible = made.path(alone);
  REQUIRE(possible.length == 1);
  CHECK(s.roots[possible.root].kind == RootKind::kPossibleStackSlot);
  CHECK(s.roots[possible.root].thread == worker);
  CHECK(s.roots[possible.root].depth == 2);
  CHECK(possible.strength == Strength::kStrong);
  CHECK(s.roots[made.path(twice).root].kind == RootKind::kHandle);
}

TEST_CASE("root paths: what is unreachable has none") {
  LabGraph graph = lab::graph_of(2, {}, {0});
  const Snapshot s = graph.snapshot();
  Made made(s);
  CHECK(made.path(ObjectId{1}).length == 0);
  CHECK(made.path(ObjectId{}).length == 0);
}
