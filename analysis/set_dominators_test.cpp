#include "analysis/set_dominators.h"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/class_objects.h"
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

constexpr std::uint32_t kRootRow = 0xFFFFFFF0u;

// The class whose row an object is in, looked up the long way.
std::uint32_t slow_row(const Snapshot& s, std::uint32_t v) {
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    if (s.catalog.classes[c].mirror.value == v) return c;
  return s.class_of[v].value;
}

std::uint64_t slow_set_retained(const lab::NaiveDominators& d, const std::set<std::uint32_t>& set) {
  std::uint64_t sum = 0;
  for (const std::uint32_t v : set) {
    bool covered = false;
    for (std::uint32_t at = d.idom[v]; at != Dominators::kRoot; at = d.idom[at])
      covered = covered || set.count(at) != 0;
    if (!covered) sum += d.retained_bytes[v];
  }
  return sum;
}

struct SlowGroup {
  std::set<std::uint32_t> members, dominators;
};

// The definition: walk up from each member, one by one.
std::map<std::uint32_t, SlowGroup> slow_groups(const Snapshot& s, const lab::NaiveDominators& d,
                                               const ObjectSet& set,
                                               const std::set<std::uint32_t>& skipped_rows) {
  std::map<std::uint32_t, SlowGroup> groups;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (!set.contains(v) || d.idom[v] == ObjectId::kNoneValue) continue;
    std::uint32_t at = d.idom[v];
    while (at != Dominators::kRoot && skipped_rows.count(slow_row(s, at)) != 0) at = d.idom[at];
    SlowGroup& group = groups[at == Dominators::kRoot ? kRootRow : slow_row(s, at)];
    group.members.insert(v);
    if (at != Dominators::kRoot) group.dominators.insert(at);
  }
  return groups;
}

std::uint64_t shallow(const Snapshot& s, const std::set<std::uint32_t>& objects) {
  std::uint64_t sum = 0;
  for (const std::uint32_t v : objects) sum += s.shallow_bytes(ObjectId{v});
  return sum;
}

bool same(const Snapshot& s, const lab::NaiveDominators& d, const SetDominatorRow& row,
          const SlowGroup& slow) {
  return row.members == slow.members.size() &&
         row.member_shallow_bytes == shallow(s, slow.members) &&
         row.member_retained_bytes == slow_set_retained(d, slow.members) &&
         row.dominators == slow.dominators.size() &&
         row.dominator_shallow_bytes == shallow(s, slow.dominators) &&
         row.dominator_retained_bytes == slow_set_retained(d, slow.dominators);
}

// Classes are called c0, c1, ...; those in `skip` are skipped by their names.
struct NamedClasses {
  lab::TestArena memory{std::uint64_t{1} << 20};
  StringTable strings;
  NamedClasses() { strings = AnalysedHeap::or_abort(StringTable::make(memory.arena(), 100, 1000)); }
  Snapshot snapshot(LabGraph& graph) {
    for (std::size_t c = 0; c < graph.classes.size(); ++c)
      graph.classes[c].name = strings.intern("c" + std::to_string(c));
    Snapshot s = graph.snapshot();
    s.catalog.strings = strings;
    return s;
  }
};

bool right(LabGraph& graph, std::uint64_t seed) {
  static NamedClasses names;
  const Snapshot s = names.snapshot(graph);
  AnalysedHeap heap(s);
  lab::Random random(seed);
  ObjectSet set = AnalysedHeap::or_abort(ObjectSet::make(s, heap.arena()));
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (random.chance(50)) set.insert(s, v);
  std::vector<std::string> patterns;
  std::set<std::uint32_t> skipped_rows;
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c) {
    if (!random.chance(40)) continue;
    patterns.push_back("?" + std::to_string(c));
    skipped_rows.insert(c);
  }
  const std::vector<std::string_view> skip(patterns.begin(), patterns.end());
  auto rows = set_dominators(s, heap.dominators, set, skip, heap.arena(), heap.cancel);
  if (!rows) return false;
  const lab::NaiveDominators naive = lab::naive_dominators(s, kStrongOnly);
  const auto slow = slow_groups(s, naive, set, skipped_rows);
  if (rows->size() != slow.size()) return false;
  std::uint64_t last = UINT64_MAX;
  for (const SetDominatorRow& row : *rows) {
    const auto found = slow.find(row.root ? kRootRow : row.class_id.value);
    if (found == slow.end() || !same(s, naive, row, found->second)) return false;
    if (row.member_retained_bytes > last) return false;
    last = row.member_retained_bytes;
  }
  return true;
}

}  // namespace

TEST_CASE("class objects: the class they stand for, of several the first") {
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    LabGraph graph = lab::random_graph(seed, false);
    const Snapshot s = graph.snapshot();
    AnalysedHeap heap(s);
    auto made = ClassObjects::make(s, heap.arena());
    REQUIRE(made.ok());
    for (std::uint32_t v = 0; v < s.object_count(); ++v)
      REQUIRE(made->row_of(v) == std::min(slow_row(s, v), s.catalog.class_count()));
  }
}

TEST_CASE("set dominators: every graph of at most 4 objects, random sets and skipped classes") {
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

TEST_CASE("set dominators: named shapes and random graphs") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, 3));
  }
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, false);
    REQUIRE(lab::counterexample(graph, "set dominators",
                                [&](LabGraph& g) { return right(g, seed); }) == "");
  }
}

TEST_CASE("set dominators: strings in a map belong to the class whose static field holds it") {
  lab::TestHeap test;
  const ClassId text = test.klass("java.lang.String");
  const ClassId main = test.klass("shop.Main", {"names"});
  const ObjectId map = test.object(test.klass("java.util.HashMap", {"table"}), 48);
  const ObjectId table = test.object(test.klass("java.util.HashMap$Node[]"), 64);
  test.static_field(main, "names", map);
  test.field(map, "table", table);
  for (std::uint32_t i = 0; i < 3; ++i) test.element(table, i, test.object(text, 24));
  test.root(test.object(text, 24), RootKind::kStackLocal);
  const Snapshot s = test.snapshot();
  AnalysedHeap heap(s);
  const ObjectSet set =
      AnalysedHeap::or_abort(objects_of_class(s, text, heap.arena(), heap.cancel));
  const std::string_view skip[] = {"java.*"};
  auto rows = set_dominators(s, heap.dominators, set, skip, heap.arena(), heap.cancel);
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 2);
  CHECK((*rows)[0].class_id == main);
  CHECK((*rows)[0].members == 3);
  CHECK((*rows)[0].dominators == 1);
  CHECK((*rows)[0].dominator_shallow_bytes == 112);
  CHECK((*rows)[0].dominator_retained_bytes == 112 + 48 + 64 + 72);
  CHECK((*rows)[1].root);
  CHECK((*rows)[1].members == 1);
  auto immediate = set_dominators(s, heap.dominators, set, {}, heap.arena(), heap.cancel);
  REQUIRE(immediate.ok());
  CHECK((*immediate)[0].class_id == s.class_of[table.value]);
}

TEST_CASE("set dominators: a skipped chain of a million is walked once") {
  LabGraph graph = lab::chain(1'000'000);
  graph.classes.resize(2);
  graph.class_of[0] = ClassId{1};
  NamedClasses names;
  const Snapshot s = names.snapshot(graph);
  AnalysedHeap heap(s);
  const ObjectSet all =
      AnalysedHeap::or_abort(objects_of_class(s, ClassId{0}, heap.arena(), heap.cancel));
  const std::string_view skip[] = {"c0"};
  auto rows = set_dominators(s, heap.dominators, all, skip, heap.arena(), heap.cancel);
  REQUIRE(rows.ok());
  REQUIRE(rows->size() == 1);
  CHECK((*rows)[0].members == 999'999);
  CHECK((*rows)[0].dominators == 1);
  CHECK((*rows)[0].member_retained_bytes == heap.dominators.retained_bytes[1]);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!set_dominators(s, heap.dominators, all, skip, heap.arena(), cancelled).ok());
}
