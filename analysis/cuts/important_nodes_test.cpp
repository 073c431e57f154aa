#include "analysis/cuts/important_nodes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/lab/condensed_heap.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

constexpr StrengthSet kSoftToo = holding_strengths(kRetainStrong | kRetainSoft);
constexpr std::uint32_t kAll = 1'000'000;

struct NaiveCut {
  std::uint32_t referrer = ObjectId::kNoneValue;
  std::uint32_t referent = 0;
  RefLabel label;
  std::uint32_t references = 0;
  std::uint32_t root = Cut::kNoRoot;
  std::uint64_t freed_bytes = 0;
  std::uint32_t freed_objects = 0;
};
using Field = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;

// Cuts by cutting: the references of one object to another, or a root record, are taken out of a copy, which is marked.
class NaiveCuts {
 public:
  NaiveCuts(LabGraph& graph, StrengthSet holding)
      : graph_(graph),
        snapshot_(graph.snapshot()),
        holding_(holding),
        held_(snapshot_, holding),
        before_(marked(graph)) {}

  std::vector<NaiveCut> all() {
    std::vector<NaiveCut> found;
    for (std::uint32_t u = 0; u < graph_.object_count(); ++u) {
      if (!before_[u]) continue;
      std::vector<std::uint32_t> seen;
      for (std::uint32_t i = graph_.first_ref[u]; i < graph_.first_ref[u + 1]; ++i) {
        const std::uint32_t x = graph_.target[i].value;
        if (!holds(i) || x == u || std::count(seen.begin(), seen.end(), x) > 0) continue;
        seen.push_back(x);
        if (const NaiveCut cut = cut_references(u, x); cut.freed_objects > 0) found.push_back(cut);
      }
    }
    for (std::uint32_t r = 0; r < graph_.roots.size(); ++r) {
      if (graph_.roots[r].kind == RootKind::kSystemClass) continue;
      if (const NaiveCut cut = cut_root(r); cut.freed_objects > 0) found.push_back(cut);
    }
    std::sort(found.begin(), found.end(), [](const NaiveCut& a, const NaiveCut& b) {
      return a.freed_bytes != b.freed_bytes ? a.freed_bytes > b.freed_bytes
                                            : a.referent < b.referent;
    });
    return found;
  }

  Field field_of(const NaiveCut& cut) const {
    const std::uint32_t class_id = graph_.class_of[cut.referent].value;
    if (cut.root != Cut::kNoRoot) {
      const RootRecord& root = graph_.roots[cut.root];
      return {root.method.value, 0x10000 + static_cast<std::uint32_t>(root.kind), class_id};
    }
    const bool element = cut.label.is_element() || cut.label == special(SpecialRef::kElement);
    return {graph_.class_of[cut.referrer].value, element ? RefLabel::kElementBase : cut.label.bits,
            class_id};
  }

  bool inside_structure(const NaiveCut& cut) const {
    if (cut.root != Cut::kNoRoot) return false;
    const ClassId of = graph_.class_of[cut.referent];
    return of.valid() && of == graph_.class_of[cut.referrer];
  }

 private:
  bool holds(std::uint32_t i) const {
    return (holding_ & strength_bit(strength_of(graph_.label[i]))) != 0;
  }
  std::vector<bool> marked(LabGraph& graph) const {
    return lab::naive_marked(graph.snapshot(), holding_, std::vector<bool>(graph.object_count()),
                             held_);
  }

  NaiveCut cut_references(std::uint32_t u, std::uint32_t x) {
    NaiveCut cut;
    cut.referrer = u;
    cut.referent = x;
    LabGraph rest = graph_;
    for (std::uint32_t i = graph_.first_ref[u]; i < graph_.first_ref[u + 1]; ++i) {
      if (graph_.target[i].value != x || !holds(i)) continue;
      if (cut.references++ == 0) cut.label = graph_.label[i];
      rest.target[i] = ObjectId{u};  // a reference to itself holds nothing
    }
    weigh(rest, cut);
    return cut;
  }
  NaiveCut cut_root(std::uint32_t r) {
    NaiveCut cut;
    cut.referent = graph_.roots[r].object.value;
    cut.root = r;
    LabGraph rest = graph_;
    rest.roots.erase(rest.roots.begin() + r);
    weigh(rest, cut);
    return cut;
  }
  void weigh(LabGraph& rest, NaiveCut& cut) {
    const std::vector<bool> after = marked(rest);
    for (std::uint32_t v = 0; v < graph_.object_count(); ++v) {
      if (!before_[v] || after[v]) continue;
      cut.freed_bytes += snapshot_.shallow_bytes(ObjectId{v});
      ++cut.freed_objects;
    }
  }

  LabGraph& graph_;
  Snapshot snapshot_;
  StrengthSet holding_;
  lab::NaiveHolding held_;
  std::vector<bool> before_;
};

bool is_below(const std::vector<std::uint32_t>& idom, std::uint32_t object, std::uint32_t above) {
  while (object != Dominators::kRoot && object != above) object = idom[object];
  return object == above;
}

// The rules of the header, read off one after the other over all cuts, the largest first.
std::vector<NaiveCut> naive_choice(LabGraph& graph, StrengthSet holding, std::size_t limit) {
  NaiveCuts naive(graph, holding);
  const std::vector<std::uint32_t> idom = lab::naive_dominators(graph.snapshot(), holding).idom;
  std::vector<NaiveCut> kept;
  for (const NaiveCut& cut : naive.all()) {
    bool skipped = naive.inside_structure(cut);
    for (const NaiveCut& above : kept) {
      if (!is_below(idom, cut.referent, above.referent)) continue;
      skipped = skipped || 4 * above.freed_bytes <= 5 * cut.freed_bytes ||
                naive.field_of(above) == naive.field_of(cut);
    }
    if (!skipped) kept.push_back(cut);
  }
  std::vector<NaiveCut> shown;
  for (const NaiveCut& cut : kept) {
    const auto same = std::count_if(shown.begin(), shown.end(), [&](const NaiveCut& other) {
      return naive.field_of(other) == naive.field_of(cut);
    });
    if (same < 3 && shown.size() < limit) shown.push_back(cut);
  }
  return shown;
}

bool same_cuts(std::span<const Cut> made, const std::vector<NaiveCut>& naive) {
  return std::equal(
      made.begin(), made.end(), naive.begin(), naive.end(), [](const Cut& a, const NaiveCut& b) {
        return a.referrer.value == b.referrer && a.referent.value == b.referent &&
               a.label == b.label && a.references == b.references && a.root == b.root &&
               a.freed_bytes == b.freed_bytes && a.freed_objects == b.freed_objects;
      });
}

struct Degrees {
  std::vector<std::uint32_t> out, in;
};

Degrees naive_degrees(const Snapshot& s, StrengthSet holding) {
  Degrees found{std::vector<std::uint32_t>(s.object_count()),
                std::vector<std::uint32_t>(s.object_count())};
  const std::vector<bool> held = lab::naive_marked(s, holding, std::vector<bool>(s.object_count()));
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (!held[v]) continue;
    for (const lab::NaiveEdge& e : lab::naive_row(s, v)) {
      if (e.implied || (holding & strength_bit(e.strength)) == 0) continue;
      ++found.out[v];
      ++found.in[e.to];
    }
  }
  return found;
}

bool right_list(std::span<const ImportantObject> made, const std::vector<std::uint32_t>& ranked,
                const Degrees& degrees, const AnalysedHeap& heap, std::size_t limit) {
  std::vector<std::uint32_t> objects;
  for (std::uint32_t v = 0; v < ranked.size(); ++v)
    if (ranked[v] > 0) objects.push_back(v);
  std::stable_sort(objects.begin(), objects.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ranked[a] > ranked[b]; });
  objects.resize(std::min(objects.size(), limit));
  return std::equal(made.begin(), made.end(), objects.begin(), objects.end(),
                    [&](const ImportantObject& a, std::uint32_t v) {
                      return a.object.value == v && a.references == degrees.out[v] &&
                             a.referrers == degrees.in[v] && !a.articulation &&
                             a.shallow_bytes ==
                                 heap.references.snapshot().shallow_bytes(a.object) &&
                             a.retained_bytes == heap.dominators.retained_bytes[v];
                    });
}

bool right(LabGraph& graph, StrengthSet holding, const ImportantNodesLimits& limits) {
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s, holding);
  auto made = important_nodes({heap.references, holding, heap.dominators}, limits, heap.arena(),
                              heap.cancel);
  REQUIRE(made.ok());
  const Degrees degrees = naive_degrees(s, holding);
  return right_list(made->most_references, degrees.out, degrees, heap, limits.objects) &&
         right_list(made->most_referrers, degrees.in, degrees, heap, limits.objects) &&
         same_cuts(made->cuts, naive_choice(graph, holding, limits.cuts));
}

// Otherwise all objects of the small shapes are one structure.
void give_own_classes(LabGraph& graph) {
  graph.classes.assign(graph.object_count(), ClassRow{});
  for (std::uint32_t v = 0; v < graph.object_count(); ++v) graph.class_of[v] = ClassId{v};
}

}  // namespace

TEST_CASE("important nodes: named shapes and every graph of at most 4 objects") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph, kStrongOnly, {kAll, kAll}));
    give_own_classes(shape.graph);
    CHECK(right(shape.graph, kStrongOnly, {kAll, kAll}));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects) {
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      give_own_classes(graph);
      wrong += right(graph, kStrongOnly, {kAll, kAll}) ? 0 : 1;
    });
  }
  CHECK(wrong == 0);
}

TEST_CASE("important nodes: random graphs of all kinds, against cutting") {
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    if (seed % 3 == 0) graph = lab::without_cycles(graph);
    if (seed % 6 == 0) give_own_classes(graph);
    const auto limit = seed % 5 == 0 ? static_cast<std::uint32_t>(seed % 7) : kAll;
    INFO("seed ", seed);
    REQUIRE(right(graph, seed % 4 == 0 ? kSoftToo : kStrongOnly, {limit, limit}));
  }
}

// Every other root is a possible stack slot: of sure roots alone the other test has enough.
TEST_CASE("important nodes: what may be no root is no holder beside one that is") {
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    lab::RandomShape shape;
    shape.objects = 8;
    shape.references = 12;
    shape.roots = 4;
    LabGraph graph = lab::random_graph(shape, seed);
    for (std::size_t r = 0; r < graph.roots.size(); ++r)
      graph.roots[r].kind = r % 2 == 0 ? RootKind::kStaticField : RootKind::kPossibleStackSlot;
    give_own_classes(graph);
    INFO("seed ", seed);
    REQUIRE(right(graph, kStrongOnly, {kAll, kAll}));
  }
}

namespace {

// A static field that holds a map, its table and its entries, which know their map.
struct MapHeap {
  lab::TestHeap heap;
  ClassId cache = heap.klass("shop.Cache", {"map", "other"});
  ClassId map_class = heap.klass("java.util.HashMap", {"table"});
  ClassId table_class = heap.klass("java.util.HashMap$Node[]");
  ClassId node_class = heap.klass("java.util.HashMap$Node", {"value", "next", "owner"});
  ClassId session_class = heap.klass("shop.Session", {"bytes"});
  ObjectId map = heap.object(map_class, 48);
  ObjectId table = heap.object(table_class, 8'000);
  std::vector<ObjectId> sessions;

  MapHeap() {
    heap.static_field(cache, "map", map);
    heap.field(map, "table", table);
    for (std::uint32_t i = 0; i < 10; ++i) {
      const ObjectId node = heap.object(node_class, 32);
      const ObjectId session = heap.object(session_class, 1'000 * (i + 1));
      heap.element(table, i, node);
      heap.field(node, "value", session);
      heap.field(node, "owner", map);
      sessions.push_back(session);
    }
  }
};

ImportantNodes nodes_of(const AnalysedHeap& heap) {
  auto made = important_nodes({heap.references, kStrongOnly, heap.dominators}, {}, heap.arena(),
                              heap.cancel);
  REQUIRE(made.ok());
  return *made;
}

}  // namespace

TEST_CASE("important nodes: of a chain the upper cut with its field, then the largest entries") {
  MapHeap shop;
  const Snapshot s = shop.heap.snapshot();
  AnalysedHeap heap(s);
  const ImportantNodes found = nodes_of(heap);
  // The map, though its entries refer to it; not its table; of ten entries three, with their nodes, not their sessions.
  REQUIRE(found.cuts.size() == 4);
  CHECK(found.cuts[0].referrer == shop.heap.class_object(shop.cache));
  CHECK(found.cuts[0].referent == shop.map);
  CHECK(found.cuts[0].label.is_static_field());
  CHECK(s.catalog.field_name(shop.cache, found.cuts[0].label.index()) == "map");
  CHECK(found.cuts[0].references == 1);
  CHECK(found.cuts[0].freed_bytes == 48 + 8'000 + 10 * 32 + 55'000);
  CHECK(found.cuts[0].freed_objects == 22);
  CHECK(found.cuts[1].referrer == shop.table);
  CHECK(found.cuts[1].freed_bytes == 32 + 10'000);
  CHECK(found.cuts[1].label == RefLabel::element(9));
  CHECK(found.cuts[3].freed_bytes == 32 + 8'000);
  REQUIRE(found.most_references.size() > 2);
  CHECK(found.most_references[0].object == shop.table);
  CHECK(found.most_references[0].references == 10);
  CHECK(found.most_references[0].referrers == 1);
  CHECK(found.most_referrers[0].object == shop.map);
  CHECK(found.most_referrers[0].referrers == 11);
}

TEST_CASE("important nodes: two fields of one object are one cut, two holders are none") {
  MapHeap shop;
  const ObjectId owner = shop.heap.object(shop.heap.klass("shop.Owner", {"a", "b"}), 16);
  const ObjectId both = shop.heap.object(shop.heap.klass("byte[]"), 200'000);
  shop.heap.field(owner, "a", both);
  shop.heap.field(owner, "b", both);
  shop.heap.static_field(shop.cache, "other", owner);
  shop.heap.static_field(shop.heap.klass("shop.Other", {"map"}), "map", shop.map);
  shop.heap.root(shop.sessions[0], RootKind::kJniGlobal);
  const Snapshot s = shop.heap.snapshot();
  AnalysedHeap heap(s);
  const ImportantNodes found = nodes_of(heap);
  REQUIRE(found.cuts.size() == 5);
  CHECK(found.cuts[0].referent == owner);       // the array below it frees nearly as much
  CHECK(found.cuts[1].referent == shop.table);  // nobody alone holds the map
  CHECK(found.cuts[1].freed_bytes == 8'000 + 10 * 32 + 54'000);
  CHECK(std::none_of(found.cuts.begin(), found.cuts.end(),
                     [&](const Cut& cut) { return cut.referent == shop.sessions[0]; }));
}

TEST_CASE("important nodes: the only root of an object is a cut, a system class is none") {
  lab::TestHeap heap;
  const ClassId bytes = heap.klass("byte[]");
  const ObjectId local = heap.object(bytes, 5'000);
  const ObjectId twice = heap.object(bytes, 6'000);
  const ObjectId global = heap.object(bytes, 7'000);
  const ObjectId both = heap.object(bytes, 8'000);
  const ObjectId holder = heap.object(heap.klass("shop.Holder", {"f"}), 16);
  const ThreadId thread = heap.thread("main");
  heap.class_object(heap.klass("shop.Empty"));
  heap.local(thread, local, "shop.Main", "run");
  heap.local(thread, twice, "shop.Main", "run");
  heap.local(thread, twice, "shop.Main", "stop", 1);
  heap.root(global, RootKind::kJniGlobal);
  heap.root(both, RootKind::kJniGlobal);
  heap.field(holder, "f", both);
  heap.root(holder, RootKind::kJniLocal);
  const Snapshot s = heap.snapshot();
  AnalysedHeap analysed(s);
  const ImportantNodes found = nodes_of(analysed);
  REQUIRE(found.cuts.size() == 5);
  CHECK(found.cuts[0].referent == both);  // the frame that uses it, too, ends by itself
  CHECK(found.cuts[1].referent == global);
  CHECK(!found.cuts[1].referrer.valid());
  CHECK(s.roots[found.cuts[1].root].kind == RootKind::kJniGlobal);
  CHECK(found.cuts[1].references == 0);
  CHECK(found.cuts[2].referent == local);
  CHECK(s.roots[found.cuts[2].root].kind == RootKind::kStackLocal);
  CHECK(found.cuts[3].referent == heap.thread_object(thread));
  CHECK(found.cuts[4].referent == holder);
}

TEST_CASE("important nodes: a long list is one cut, its class objects and articulation points") {
  lab::TestHeap heap;
  const ClassId link = heap.klass("shop.Link", {"next", "before"});
  const ClassId main = heap.klass("shop.Main", {"head"});
  ObjectId before = heap.object(link, 24);
  const ObjectId head = before;
  heap.static_field(main, "head", head);
  for (int i = 0; i < 1'000; ++i) {
    const ObjectId next = heap.object(link, 24);
    heap.field(before, "next", next);
    heap.field(next, "before", before);
    before = next;
  }
  const Snapshot s = heap.snapshot();
  AnalysedHeap analysed(s);
  lab::CondensedHeap condensed(s);
  auto components =
      biconnected_components(condensed.condensation, analysed.arena(), analysed.cancel);
  REQUIRE(components.ok());
  auto found = important_nodes({analysed.references, kStrongOnly, analysed.dominators,
                                &condensed.condensation, &*components},
                               {}, analysed.arena(), analysed.cancel);
  REQUIRE(found.ok());
  REQUIRE(found->cuts.size() == 1);
  CHECK(found->cuts[0].referent == head);
  CHECK(found->cuts[0].freed_objects == 1'001);
  CHECK(!found->cuts[0].articulation);  // two nodes: the class object and the list
  CHECK(found->most_references.size() == 20);
}

TEST_CASE("important nodes: the articulation bit is that of the object's node") {
  LabGraph graph = lab::chain(3);
  give_own_classes(graph);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  lab::CondensedHeap condensed(s);
  auto components = biconnected_components(condensed.condensation, heap.arena(), heap.cancel);
  REQUIRE(components.ok());
  auto found = important_nodes(
      {heap.references, kStrongOnly, heap.dominators, &condensed.condensation, &*components}, {},
      heap.arena(), heap.cancel);
  REQUIRE(found.ok());
  REQUIRE(found->most_referrers.size() == 2);
  CHECK(found->most_referrers[0].object == ObjectId{1});
  CHECK(found->most_referrers[0].articulation);
  CHECK(!found->most_referrers[1].articulation);
  CHECK(!found->most_references[0].articulation);
}

TEST_CASE("important nodes: a chain, a star, a ring and a complete graph") {
  LabGraph chain = lab::chain(1'000'000);
  const Snapshot s = chain.snapshot();
  AnalysedHeap heap(s);
  lab::TestArena memory(std::uint64_t{1} << 26);
  auto of_chain = important_nodes({heap.references, kStrongOnly, heap.dominators}, {},
                                  memory.arena(), heap.cancel);
  REQUIRE(of_chain.ok());
  REQUIRE(of_chain->cuts.size() == 1);
  CHECK(of_chain->cuts[0].freed_objects == 1'000'000);
  CHECK(static_cast<double>(memory.peak_bytes()) <
        1.05 * static_cast<double>(important_nodes_bytes(1'000'000)));

  LabGraph star = lab::star(200'000);
  star.classes.resize(2);
  star.class_of[0] = ClassId{1};
  const Snapshot of_star = star.snapshot();
  AnalysedHeap star_heap(of_star);
  const ImportantNodes star_nodes = nodes_of(star_heap);
  CHECK(star_nodes.most_references.size() == 1);
  CHECK(star_nodes.most_references[0].references == 199'999);
  REQUIRE(star_nodes.cuts.size() == 1);  // each leaf is less than 1/65,536
  CHECK(star_nodes.cuts[0].root == 0);

  for (LabGraph graph :
       {lab::complete(60), lab::graph_of(4, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}, {2})}) {
    give_own_classes(graph);
    CHECK(right(graph, kStrongOnly, {kAll, kAll}));
  }
}

TEST_CASE("important nodes: cancelled, or without memory, it leaves nothing") {
  LabGraph graph = lab::chain(100'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const ImportantNodesInput input{heap.references, kStrongOnly, heap.dominators};
  CancelToken cancelled;
  cancelled.cancel();
  const std::size_t before = heap.arena().used_bytes();
  CHECK(!important_nodes(input, {}, heap.arena(), cancelled).ok());
  CHECK(heap.arena().used_bytes() == before);
  lab::TestArena small(300'000);
  auto refused = important_nodes(input, {}, small.arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
