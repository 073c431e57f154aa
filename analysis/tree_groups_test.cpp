#include "analysis/tree_groups.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/packages.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

using NamePath = std::vector<std::string>;

// Classes p<c % 3>.c<c> of loader l<c % 2>; names must differ for the slow definition, which files by name.
struct NamedHeap {
  lab::TestArena memory{std::uint64_t{1} << 20};
  StringTable strings;
  std::vector<LoaderRow> loaders;
  explicit NamedHeap(LabGraph& graph) {
    strings = AnalysedHeap::or_abort(StringTable::make(memory.arena(), 100, 2000));
    for (const char* name : {"l0", "l1"}) loaders.push_back({strings.intern(name), {}, false});
    for (std::uint32_t c = 0; c < graph.classes.size(); ++c) {
      graph.classes[c].name =
          strings.intern("p" + std::to_string(c % 3) + ".c" + std::to_string(c));
      graph.classes[c].loader = LoaderId{c % 2};
    }
  }
  Snapshot snapshot(LabGraph& graph) {
    Snapshot s = graph.snapshot();
    s.catalog.strings = strings;
    s.catalog.loaders = loaders;
    return s;
  }
};

std::string slow_name(const Snapshot& s, std::uint32_t v, GroupBy by) {
  ClassId c = s.class_of[v];
  for (std::uint32_t row = s.catalog.class_count(); row-- > 0;)
    if (s.catalog.classes[row].mirror.value == v) c = ClassId{row};
  std::string name(s.catalog.class_name(c));
  if (!c.valid() || by == GroupBy::kClass) return name;
  if (by == GroupBy::kPackage) return name.substr(0, 2);
  return std::string(s.catalog.strings.view(s.catalog.loaders[c.value % 2].name));
}

// The definition: every held object filed under the names of its dominators, topmost first, and its own.
std::map<NamePath, std::set<std::uint32_t>> slow_groups(const Snapshot& s,
                                                        const lab::NaiveDominators& d, GroupBy by) {
  std::map<NamePath, std::set<std::uint32_t>> groups;
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (d.idom[v] == ObjectId::kNoneValue) continue;
    NamePath path;
    for (std::uint32_t at = v; at != Dominators::kRoot; at = d.idom[at])
      path.insert(path.begin(), slow_name(s, at, by));
    groups[path].insert(v);
  }
  return groups;
}

NamePath name_path(const TreeGroups& found, std::uint32_t row) {
  NamePath path;
  for (; row != TreeGroupRow::kNone; row = found.rows[row].parent)
    path.insert(path.begin(), std::string(found.keys.name(found.rows[row].key)));
  return path;
}

bool same(const Snapshot& s, const lab::NaiveDominators& d, const TreeGroupSum& got,
          const std::set<std::uint32_t>& slow) {
  std::uint64_t shallow = 0;
  std::uint64_t retained = 0;
  std::uint64_t largest = 0;
  for (const std::uint32_t v : slow) {
    shallow += s.shallow_bytes(ObjectId{v});
    retained += d.retained_bytes[v];
    largest = std::max(largest, d.retained_bytes[v]);
  }
  return got.objects == slow.size() && got.shallow_bytes == shallow &&
         got.retained_bytes == retained && got.largest_retained_bytes == largest &&
         slow.count(got.largest.value) == 1 && d.retained_bytes[got.largest.value] == largest;
}

// Rows of a level + rest == parent, at every row and at the top.
bool adds_up(const TreeGroups& found) {
  std::vector<std::uint64_t> below(found.rows.size());
  std::uint64_t top = found.rest_retained_bytes + found.start.shallow_bytes;
  for (std::uint32_t i = 0; i < found.rows.size(); ++i) {
    const TreeGroupRow& row = found.rows[i];
    if (row.parent != TreeGroupRow::kNone && row.parent >= i) return false;
    (row.parent == TreeGroupRow::kNone ? top : below[row.parent]) += row.sum.retained_bytes;
  }
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    const TreeGroupSum& sum = found.rows[i].sum;
    if (sum.retained_bytes != sum.shallow_bytes + below[i] + found.rows[i].rest_weight)
      return false;
  }
  return top == found.start.retained_bytes;
}

TreeGroups grouped(const Snapshot& s, const AnalysedHeap& heap, const TreeGroupQuery& query) {
  return AnalysedHeap::or_abort(
      tree_groups(s, heap.dominators, query, AnalysedHeap::arena(), heap.cancel));
}

bool same_from(const TreeGroups& found, const NamePath& prefix, const Snapshot& s,
               const lab::NaiveDominators& naive,
               const std::map<NamePath, std::set<std::uint32_t>>& slow) {
  std::size_t below = 0;
  for (const auto& [path, objects] : slow)
    below += path.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), path.begin())
                 ? 1
                 : 0;
  if (found.rows.size() != below || !adds_up(found)) return false;
  for (std::uint32_t i = 0; i < found.rows.size(); ++i) {
    NamePath path = prefix;
    const NamePath rest = name_path(found, i);
    path.insert(path.end(), rest.begin(), rest.end());
    const auto at = slow.find(path);
    if (at == slow.end() || !same(s, naive, found.rows[i].sum, at->second)) return false;
  }
  return true;
}

bool right(LabGraph& graph, GroupBy by) {
  NamedHeap names(graph);
  const Snapshot s = names.snapshot(graph);
  AnalysedHeap heap(s);
  const lab::NaiveDominators naive = lab::naive_dominators(s, kStrongOnly);
  const auto slow = slow_groups(s, naive, by);
  const TreeGroups all = grouped(s, heap, {by, {}, {}});
  if (!same_from(all, {}, s, naive, slow) || all.start.retained_bytes != heap.dominators.held_bytes)
    return false;
  for (const GroupLimits limits : {GroupLimits{2, 100}, GroupLimits{100, 1}, GroupLimits{0, 3}}) {
    const TreeGroups cut = grouped(s, heap, {by, {}, limits});
    if (cut.rows.size() > limits.nodes || !adds_up(cut)) return false;
    for (const TreeGroupRow& row : cut.rows)
      if (row.depth > limits.depth) return false;
  }
  // Every row opened by itself shows the same as the whole tree does below it.
  for (std::uint32_t i = 0; i < all.rows.size(); ++i) {
    std::vector<std::uint32_t> start;
    for (std::uint32_t at = i; at != TreeGroupRow::kNone; at = all.rows[at].parent)
      start.insert(start.begin(), all.rows[at].key);
    ArenaScope scope(AnalysedHeap::arena());
    const TreeGroups opened = grouped(s, heap, {by, start, {}});
    if (opened.start.retained_bytes != all.rows[i].sum.retained_bytes ||
        !same_from(opened, name_path(all, i), s, naive, slow))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE("tree groups: every graph of at most 4 objects") {
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      graph.classes.resize(2);
      for (std::uint32_t v = 0; v < objects; ++v) graph.class_of[v] = ClassId{v % 2};
      wrong += right(graph, GroupBy::kClass) ? 0 : 1;
    });
  CHECK(wrong == 0);
}

TEST_CASE("tree groups: named shapes and random graphs, by class, loader and package") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    if (shape.graph.object_count() <= 100) CHECK(right(shape.graph, GroupBy::kClass));
  }
  const GroupBy by[] = {GroupBy::kClass, GroupBy::kLoader, GroupBy::kPackage};
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, false);
    REQUIRE(lab::counterexample(graph, "tree groups",
                                [&](LabGraph& g) { return right(g, by[seed % 3]); }) == "");
  }
}

TEST_CASE("tree groups: a key that is not there has no rows") {
  LabGraph graph = lab::chain(3);
  NamedHeap names(graph);
  const Snapshot s = names.snapshot(graph);
  AnalysedHeap heap(s);
  const std::uint32_t nowhere[] = {1000};
  const TreeGroups found = grouped(s, heap, {GroupBy::kClass, nowhere, {}});
  CHECK(found.rows.empty());
  CHECK(found.start.objects == 0);
}

TEST_CASE("tree groups: a chain of a million with more than 4 GB, and a star of a million") {
  LabGraph chain = lab::chain(1'000'000);
  for (std::uint32_t& units : chain.shallow_units) units = 1000;
  const Snapshot s = chain.snapshot();
  AnalysedHeap heap(s);
  const TreeGroups found = grouped(s, heap, {GroupBy::kClass, {}, {300, 1000}});
  REQUIRE(found.rows.size() == 300);
  CHECK(found.rows[299].rest_weight == (1'000'000 - 300) * 8000ull);
  CHECK(adds_up(found));
  LabGraph star = lab::star(1'000'000);
  const Snapshot wide = star.snapshot();
  AnalysedHeap star_heap(wide);
  const TreeGroups two = grouped(wide, star_heap, {GroupBy::kClass, {}, {}});
  REQUIRE(two.rows.size() == 2);
  CHECK(two.rows[1].sum.objects == 999'999);
  CancelToken cancelled;
  cancelled.cancel();
  CHECK(!tree_groups(wide, star_heap.dominators, {}, AnalysedHeap::arena(), cancelled).ok());
}
