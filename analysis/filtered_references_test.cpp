#include "analysis/filtered_references.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "analysis/root_paths.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

constexpr StrengthSet kWeaker = strength_bit(Strength::kSoft) | strength_bit(Strength::kWeak) |
                                strength_bit(Strength::kFinal) | strength_bit(Strength::kPhantom);

FilteredReferences filtered(const AnalysedHeap& heap, const ReferenceFilter& filter) {
  return AnalysedHeap::or_abort(
      FilteredReferences::make(heap.references, filter, AnalysedHeap::arena(), heap.cancel));
}

Reachability reached(const FilteredReferences& references, const CancelToken& cancel) {
  return AnalysedHeap::or_abort(find_reachability(references, AnalysedHeap::arena(), cancel));
}

std::uint32_t steps_up(const Reachability& found, std::uint32_t v) {
  std::uint32_t steps = 0;
  if (found.parent[v] == ObjectId::kNoneValue) return 0;
  for (std::uint32_t at = v; at != Reachability::kRoot; at = found.parent[at]) ++steps;
  return steps;
}

// The definition: reachability of the graph from which the references are really taken out.
bool same_as_without(const Snapshot& without, const Reachability& found) {
  const lab::NaiveReachability naive = lab::naive_reachability(without);
  for (std::uint32_t v = 0; v < without.object_count(); ++v)
    if (found.strength[v] != naive.strength[v] || steps_up(found, v) != naive.distance[v])
      return false;
  return true;
}

template <class Gone>
LabGraph without_edges(const LabGraph& graph, Gone gone) {
  LabGraph made = graph;
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v < graph.object_count(); ++v)
    for (std::uint32_t i = graph.first_ref[v]; i < graph.first_ref[v + 1]; ++i)
      if (!gone(v, graph.label[i])) edges.push_back({v, graph.target[i].value, graph.label[i]});
  lab::set_edges(made, edges);
  return made;
}

// Every class c gets the declared fields f0 .. f2 of its own; slots of class c are 3 * depth(c) + i, and c's superclass is c / 2 - 1.
struct Fields {
  lab::TestArena memory{std::uint64_t{1} << 20};
  StringTable strings;
  std::vector<StringId> names;

  explicit Fields(LabGraph& graph) {
    strings = AnalysedHeap::or_abort(StringTable::make(memory.arena(), 100, 1000));
    for (std::uint32_t c = 0; c < graph.classes.size(); ++c) {
      ClassRow& row = graph.classes[c];
      row.name = strings.intern("c" + std::to_string(c));
      row.first_field = 3 * c;
      row.field_count = 3;
      if (c >= 2) row.superclass = ClassId{c / 2 - 1};
      if (c >= 2) row.chain_offset = graph.classes[c / 2 - 1].chain_offset + 3;
      row.interface_field_count = c % 2;
      for (std::uint32_t i = 0; i < 3; ++i)
        names.push_back(strings.intern("f" + std::to_string(i)));
    }
  }
  Snapshot snapshot(LabGraph& graph) {
    Snapshot s = graph.snapshot();
    s.catalog.strings = strings;
    s.catalog.fields = names;
    return s;
  }
};

bool descends(const LabGraph& graph, ClassId from, ClassId ancestor) {
  for (ClassId at = from; at.valid(); at = graph.classes[at.value].superclass)
    if (at == ancestor) return true;
  return false;
}

// Every reference with a label of its own: fields of all kinds, static ones for the few that are class objects.
void label_with_fields(LabGraph& graph, lab::Random& random) {
  for (RefLabel& label : graph.label) {
    if (!label.is_element()) continue;
    const std::uint32_t slot = random.below(10);
    if (random.chance(50))
      label = RefLabel::instance_field(slot);
    else if (random.chance(50))
      label = RefLabel::static_field(slot);
  }
}

ClassId stands_for(const LabGraph& graph, std::uint32_t v) {
  for (std::uint32_t c = 0; c < graph.classes.size(); ++c)
    if (graph.classes[c].mirror.value == v) return ClassId{c};
  return graph.class_of[v];
}

}  // namespace

TEST_CASE("filtered references: leaving nothing out changes nothing") {
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    const auto right = [](LabGraph& g) {
      const Snapshot s = g.snapshot();
      AnalysedHeap heap(s);
      return same_as_without(s, reached(filtered(heap, {}), heap.cancel));
    };
    REQUIRE(lab::counterexample(graph, "filtered references, all", right) == "");
  }
}

TEST_CASE("filtered references: strengths, on every graph of at most 4 objects and random ones") {
  const auto right = [](LabGraph& graph, StrengthSet gone) {
    const Snapshot s = graph.snapshot();
    AnalysedHeap heap(s);
    const FilteredReferences references = filtered(heap, {gone, {}});
    LabGraph less = without_edges(graph, [&](std::uint32_t, RefLabel label) {
      return (gone & strength_bit(strength_of(label))) != 0;
    });
    return same_as_without(less.snapshot(), reached(references, heap.cancel));
  };
  std::uint32_t wrong = 0;
  lab::Random random(4);
  for (std::uint32_t objects = 1; objects <= 4; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& shape) {
      LabGraph graph = shape;
      for (RefLabel& label : graph.label)
        if (random.chance(50)) label = special(SpecialRef::kReferentWeak);
      wrong += right(graph, strength_bit(Strength::kWeak)) ? 0 : 1;
    });
  CHECK(wrong == 0);
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, true);
    const StrengthSet gone = (random.below(16) << 1) & kWeaker;
    REQUIRE(lab::counterexample(graph, "filtered references",
                                [&](LabGraph& g) { return right(g, gone); }) == "");
  }
}

TEST_CASE("filtered references: fields by name, inherited and static ones, of random classes") {
  std::uint32_t left_out = 0;
  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph(seed, true);
    lab::Random random(seed);
    label_with_fields(graph, random);
    Fields fields(graph);
    const ClassId gone_class{random.below(graph.classes.size())};
    const std::uint32_t gone_field = random.below(3);
    const std::string text =
        "c" + std::to_string(gone_class.value) + ".f" + std::to_string(gone_field);
    const std::string_view patterns[] = {text, "c9.*"};
    const auto right = [&](LabGraph& g) {
      const Snapshot s = fields.snapshot(g);
      AnalysedHeap heap(s);
      const FilteredReferences references = filtered(heap, {0, patterns});
      LabGraph less = without_edges(g, [&](std::uint32_t v, RefLabel label) {
        if (!label.is_instance_field() && !label.is_static_field()) return false;
        const ClassId c = label.is_static_field() ? stands_for(g, v) : g.class_of[v];
        const bool gone = c.valid() && descends(g, c, gone_class) &&
                          s.catalog.field_name(c, label.index()) == patterns[0].substr(3);
        left_out += gone ? 1 : 0;
        return gone;
      });
      return same_as_without(less.snapshot(), reached(references, heap.cancel));
    };
    REQUIRE(lab::counterexample(graph, "filtered references, fields", right) == "");
  }
  CHECK(left_out > tries(1000));
}

TEST_CASE("filtered references: a path takes the way that is left, under its right name") {
  lab::TestHeap test;
  const ClassId entry = test.klass("java.lang.ThreadLocal$Entry", {"value"});
  const ClassId main = test.klass("shop.Main", {"cache", "spare"});
  const ObjectId session = test.object(test.klass("shop.Session"), 24);
  const ObjectId holder = test.object(entry, 32);
  test.root(holder, RootKind::kStackLocal);
  test.field(holder, "value", session);
  test.static_field(main, "cache", session);
  test.static_field(main, "spare", session);
  const Snapshot s = test.snapshot();
  AnalysedHeap heap(s);
  const auto path_without = [&](std::vector<std::string_view> gone) {
    const FilteredReferences references = filtered(heap, {0, gone});
    const Reachability found = reached(references, heap.cancel);
    return AnalysedHeap::or_abort(root_path(references, found, session, heap.arena()));
  };
  const RootPathResult by_static = path_without({"java.*.value"});
  REQUIRE(by_static.length == 2);
  CHECK(by_static.steps[0].object == test.class_object(main));
  CHECK(s.catalog.field_name(main, by_static.steps[1].label.index()) == "cache");
  const RootPathResult by_spare = path_without({"java.*.value", "shop.Main.cache"});
  REQUIRE(by_spare.length == 2);
  CHECK(s.catalog.field_name(main, by_spare.steps[1].label.index()) == "spare");
  CHECK(path_without({"shop.Main.*"}).steps[0].object == holder);
  CHECK(path_without({"*.value", "shop.Main.*"}).length == 0);
}

TEST_CASE("filtered references: the referent of a reference class by name") {
  lab::TestHeap test;
  const ClassId soft = test.reference_class("java.lang.ref.SoftReference", Strength::kSoft);
  const ObjectId value = test.object(test.klass("shop.Value"), 24);
  const ObjectId reference = test.object(soft, 48);
  test.root(reference, RootKind::kStackLocal);
  test.referent(reference, value);
  const Snapshot s = test.snapshot();
  AnalysedHeap heap(s);
  const std::string_view gone[] = {"java.lang.ref.SoftReference.referent"};
  const FilteredReferences references = filtered(heap, {0, gone});
  CHECK(heap.reachability.strength[value.value] == Strength::kSoft);
  CHECK(reached(references, heap.cancel).strength[value.value] == Strength::kUnreachable);
}

TEST_CASE("filtered references: a chain of a million, and too many patterns are refused") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  const FilteredReferences references = filtered(heap, {kWeaker, {}});
  CHECK(steps_up(reached(references, heap.cancel), 999'999) == 1'000'000);
  const std::vector<std::string_view> many(257, "a.b");
  auto refused =
      FilteredReferences::make(heap.references, {0, many}, AnalysedHeap::arena(), heap.cancel);
  REQUIRE(!refused.ok());
  CHECK(refused.error().code == ErrorCode::kTooMany);
}
