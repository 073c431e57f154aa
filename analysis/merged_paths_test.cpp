#include "analysis/merged_paths.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/filtered_references.h"
#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

using KeyPath = std::vector<std::uint32_t>;
struct SlowNode {
  std::set<std::uint32_t> objects, members, held_members;
};

std::uint32_t slow_key(const Snapshot& s, std::uint32_t v) {
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    if (s.catalog.classes[c].mirror.value == v) return c;
  return std::min(s.class_of[v].value, s.catalog.class_count());
}

// The definition: each member's path on its own, object by object, filed under the classes on it.
std::map<KeyPath, SlowNode> slow_tree(const Snapshot& s, const Reachability& found,
                                      const ObjectSet& set) {
  std::map<KeyPath, SlowNode> tree;
  for (std::uint32_t member = 0; member < s.object_count(); ++member) {
    if (!set.contains(member) || found.parent[member] == ObjectId::kNoneValue) continue;
    std::vector<std::uint32_t> path;
    for (std::uint32_t at = member; at != Reachability::kRoot; at = found.parent[at])
      path.insert(path.begin(), at);
    KeyPath keys;
    for (const std::uint32_t v : path) {
      keys.push_back(slow_key(s, v));
      tree[keys].objects.insert(v);
      tree[keys].held_members.insert(member);
      if (v == member) tree[keys].members.insert(v);
    }
  }
  return tree;
}

KeyPath key_path(const MergedPaths& found, std::uint32_t node) {
  KeyPath keys;
  for (; node != MergedPathNode::kNone; node = found.nodes[node].parent)
    keys.insert(keys.begin(), found.nodes[node].key);
  return keys;
}

std::uint64_t shallow(const Snapshot& s, const std::set<std::uint32_t>& objects) {
  std::uint64_t sum = 0;
  for (const std::uint32_t v : objects) sum += s.shallow_bytes(ObjectId{v});
  return sum;
}

bool same(const Snapshot& s, const MergedPathSum& got, const SlowNode& slow) {
  return got.objects == slow.objects.size() && got.shallow_bytes == shallow(s, slow.objects) &&
         got.members == slow.members.size() && got.paths == slow.held_members.size() &&
         got.path_bytes == shallow(s, slow.held_members) &&
         slow.objects.count(got.example.value) == 1;
}

// node.paths == members + children's paths + rest, at each node and at the top.
bool adds_up(const MergedPaths& found) {
  std::vector<std::uint64_t> below(found.nodes.size());
  std::uint64_t top = found.rest_paths;
  for (std::uint32_t i = 0; i < found.nodes.size(); ++i) {
    const MergedPathNode& node = found.nodes[i];
    if (node.parent == MergedPathNode::kNone) {
      top += node.sum.paths;
    } else {
      if (node.parent >= i || node.depth != found.nodes[node.parent].depth + 1) return false;
      below[node.parent] += node.sum.paths;
    }
  }
  for (std::size_t i = 0; i < found.nodes.size(); ++i) {
    const MergedPathNode& node = found.nodes[i];
    if (node.sum.paths != node.sum.members + below[i] + node.rest_weight) return false;
  }
  return top == found.paths;
}

ObjectSet random_set(const Snapshot& s, std::uint64_t seed) {
  lab::Random random(seed);
  ObjectSet set = AnalysedHeap::or_abort(ObjectSet::make(s, AnalysedHeap::arena()));
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (random.chance(30)) set.insert(s, v);
  return set;
}

MergedPaths merge(const Snapshot& s, const Reachability& reachability, const ObjectSet& set,
                  GroupLimits limits = {}) {
  return AnalysedHeap::or_abort(
      merged_paths(s, reachability, set, limits, AnalysedHeap::arena(), CancelToken{}));
}

bool right(LabGraph& graph, std::uint64_t seed) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet set = random_set(s, seed);
  const MergedPaths found = merge(s, heap.reachability, set);
  const auto slow = slow_tree(s, heap.reachability, set);
  if (found.nodes.size() != slow.size() || !adds_up(found)) return false;
  for (std::uint32_t i = 0; i < found.nodes.size(); ++i) {
    const auto at = slow.find(key_path(found, i));
    if (at == slow.end() || !same(s, found.nodes[i].sum, at->second)) return false;
    if (found.nodes[i].rest_weight != 0) return false;
  }
  if (found.paths + found.without_path != set.objects) return false;
  const MergedPaths cut = merge(s, heap.reachability, set, {3, 2});
  return cut.nodes.size() <= 3 && adds_up(cut) && cut.paths == found.paths;
}

}  // namespace

TEST_CASE("merged paths: every graph of at most 4 objects") {
  std::uint32_t wrong = 0;
  std::uint64_t seed = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      graph.classes.resize(2);
      for (std::uint32_t v = 0; v < objects; ++v) graph.class_of[v] = ClassId{v % 2};
      wrong += right(graph, ++seed) ? 0 : 1;
    });
  CHECK(wrong == 0);
}

TEST_CASE("merged paths: named shapes and random graphs with all strengths") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, 7));
  }
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, true);
    REQUIRE(lab::counterexample(graph, "merged paths",
                                [&](LabGraph& g) { return right(g, seed); }) == "");
  }
}

TEST_CASE("merged paths: sessions below two maps, mostly below the first; one way left out") {
  lab::TestHeap test;
  const ClassId session = test.klass("shop.Session");
  const ClassId map = test.klass("java.util.HashMap", {"table"});
  const ClassId main = test.klass("shop.Main", {"sessions"});
  const ClassId cache = test.klass("shop.Cache", {"kept"});
  const ObjectId many = test.object(map, 48);
  const ObjectId few = test.object(map, 48);
  test.static_field(main, "sessions", many);
  test.static_field(cache, "kept", few);
  for (std::uint32_t i = 0; i < 5; ++i) test.element(many, i, test.object(session, 24));
  for (std::uint32_t i = 0; i < 2; ++i) test.element(few, i, test.object(session, 24));
  const Snapshot s = test.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet set =
      AnalysedHeap::or_abort(objects_of_class(s, session, heap.arena(), heap.cancel));
  const MergedPaths found = merge(s, heap.reachability, set);
  REQUIRE(found.nodes.size() == 6);
  CHECK(found.keys.name(found.nodes[0].key) == "shop.Main");
  CHECK(found.nodes[0].sum.class_objects == 1);
  CHECK(found.nodes[0].sum.paths == 5);
  CHECK(found.nodes[0].sum.path_bytes == 5 * 24);
  CHECK(found.keys.name(found.nodes[1].key) == "shop.Cache");
  const std::string_view gone[] = {"shop.Main.sessions"};
  const FilteredReferences filtered = AnalysedHeap::or_abort(
      FilteredReferences::make(heap.references, {0, gone}, heap.arena(), heap.cancel));
  const Reachability avoiding =
      AnalysedHeap::or_abort(find_reachability(filtered, heap.arena(), heap.cancel));
  const MergedPaths left = merge(s, avoiding, set);
  CHECK(left.paths == 2);
  CHECK(left.without_path == 5);
  CHECK(left.keys.name(left.nodes[0].key) == "shop.Cache");
}

TEST_CASE("merged paths: a chain of a million, a limit on nodes") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet all =
      AnalysedHeap::or_abort(objects_of_class(s, ClassId{0}, heap.arena(), heap.cancel));
  const MergedPaths found = merge(s, heap.reachability, all, {500, 0xFFFFFFFFu});
  REQUIRE(found.nodes.size() == 500);
  CHECK(found.paths == 1'000'000);
  CHECK(found.nodes[499].depth == 500);
  CHECK(found.nodes[499].rest_weight == 1'000'000 - 500);
  CHECK(adds_up(found));
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!merged_paths(s, heap.reachability, all, {}, heap.arena(), cancelled).ok());
}
