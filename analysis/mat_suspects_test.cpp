#include "analysis/mat_suspects.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

std::span<const MatSuspect> search(const Snapshot& s, const AnalysedHeap& heap,
                                   MatLimits limits = {}) {
  return AnalysedHeap::or_abort(
      mat_suspects(s, heap.dominators, limits, AnalysedHeap::arena(), heap.cancel));
}

struct Slow {
  std::set<std::uint32_t> singles;
  std::map<ClassId, std::uint64_t> groups;  // retained bytes
};

// Rule 14, word for word, on dominators by definition.
Slow slow_suspects(const lab::NaiveDominators& d, const Snapshot& s, std::uint32_t percent) {
  std::uint64_t heap_bytes = 0;
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (d.idom[v] == Dominators::kRoot) heap_bytes += d.retained_bytes[v];
  Slow slow;
  std::map<ClassId, std::uint64_t> rest;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (d.idom[v] != Dominators::kRoot) continue;
    if (d.retained_bytes[v] * 100 > heap_bytes * percent)
      slow.singles.insert(v);
    else
      rest[s.class_of[v]] += d.retained_bytes[v];
  }
  for (const auto& [class_id, bytes] : rest)
    if (bytes * 100 > heap_bytes * percent) slow.groups[class_id] = bytes;
  return slow;
}

// The point lies below the object, and no object from there up to it, but the point, has a steep drop.
bool is_accumulation_point(const lab::NaiveDominators& d, std::uint32_t object,
                           std::uint32_t point) {
  const auto largest_child_bytes = [&](std::uint32_t v) {
    std::uint64_t largest = 0;
    for (std::uint32_t w = 0; w < d.idom.size(); ++w)
      if (d.idom[w] == v) largest = std::max(largest, d.retained_bytes[w]);
    return largest;
  };
  const auto drops = [&](std::uint32_t v) {
    return largest_child_bytes(v) * 10 < d.retained_bytes[v] * 7;
  };
  if (!drops(point)) return false;
  for (std::uint32_t at = point; at != object; at = d.idom[at]) {
    if (at == Dominators::kRoot || d.idom[at] == Dominators::kRoot) return false;
    if (drops(d.idom[at]) || d.retained_bytes[at] != largest_child_bytes(d.idom[at])) return false;
  }
  return true;
}

bool right(LabGraph& graph, std::uint32_t percent) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const lab::NaiveDominators naive = lab::naive_dominators(s, kStrongOnly);
  const Slow slow = slow_suspects(naive, s, percent);
  const auto found = search(s, heap, {percent, 7});
  if (found.size() != slow.singles.size() + slow.groups.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const MatSuspect& suspect = found[i];
    if (suspect.object.valid() != (i < slow.singles.size())) return false;
    const bool same_part = i > 0 && found[i - 1].object.valid() == suspect.object.valid();
    if (same_part && found[i - 1].retained_bytes < suspect.retained_bytes) return false;
    if (!suspect.object.valid()) {
      const auto at = slow.groups.find(suspect.class_id);
      if (at == slow.groups.end() || at->second != suspect.retained_bytes) return false;
      continue;
    }
    const std::uint32_t v = suspect.object.value;
    if (slow.singles.count(v) == 0 || suspect.retained_bytes != naive.retained_bytes[v] ||
        !is_accumulation_point(naive, v, suspect.accumulation_point.value))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("mat suspects: every graph of at most 4 objects, named shapes, random graphs") {
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      graph.classes.resize(2);
      for (std::uint32_t v = 0; v < objects; ++v) graph.class_of[v] = ClassId{v % 2};
      wrong += right(graph, 20) ? 0 : 1;
      wrong += right(graph, 45) ? 0 : 1;
    });
  CHECK(wrong == 0);
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, 20));
  }
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, false);
    const std::uint32_t percent = 5 + static_cast<std::uint32_t>(seed % 30);
    REQUIRE(lab::counterexample(graph, "mat suspects",
                                [&](LabGraph& g) { return right(g, percent); }) == "");
  }
}

TEST_CASE("mat suspects: a store with its map's table as accumulation point, and a class") {
  lab::TestHeap test;
  const ClassId entry = test.klass("shop.Entry");
  const ObjectId store = test.object(test.klass("shop.Store", {"map"}), 16);
  const ObjectId map = test.object(test.klass("java.util.HashMap", {"table"}), 48);
  const ObjectId table = test.object(test.klass("java.util.HashMap$Node[]"), 64);
  test.root(store, RootKind::kSystemClass);
  test.field(store, "map", map);
  test.field(map, "table", table);
  for (std::uint32_t i = 0; i < 50; ++i) test.element(table, i, test.object(entry, 800));
  const ClassId session = test.klass("shop.Session");
  for (int i = 0; i < 20; ++i) test.root(test.object(session, 1000), RootKind::kStackLocal);
  const Snapshot s = test.snapshot();
  AnalysedHeap heap(s);
  const auto found = search(s, heap);
  REQUIRE(found.size() == 2);
  CHECK(found[0].object == store);
  CHECK(found[0].accumulation_point == table);
  CHECK(found[0].accumulation_depth == 2);
  CHECK(found[0].accumulation_retained_bytes == 64 + 50 * 800);
  CHECK(!found[1].object.valid());
  CHECK(found[1].class_id == session);
  CHECK(found[1].objects == 20);
  CHECK(found[1].retained_bytes == 20'000);
}

TEST_CASE("mat suspects: exactly the share is not more than the share") {
  LabGraph graph = lab::graph_of(5, {}, {0, 1, 2, 3, 4});
  for (std::uint32_t v = 0; v < 5; ++v) {
    graph.shallow_units[v] = 10;
    graph.class_of[v] = ClassId{v};
  }
  graph.classes.resize(5);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  CHECK(search(s, heap).empty());
  CHECK(search(s, heap, {19, 7}).size() == 5);
  CHECK(search(s, heap, {0, 7}).size() == 5);
}

TEST_CASE("mat suspects: a chain of a million accumulates where it ends up small") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const auto found = search(s, heap);
  REQUIRE(found.size() == 1);
  CHECK(found[0].accumulation_depth > 999'990);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!mat_suspects(s, heap.dominators, {}, AnalysedHeap::arena(), cancelled).ok());
}
