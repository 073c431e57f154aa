#include "analysis/holders/class_holders.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

#include "analysis/class_figures.h"
#include "analysis/holders/holder_table.h"
#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;

namespace {

constexpr HolderLimits kAll{.classes = 1000, .places = 1000, .slots = 1u << 17};

struct Asked {
  Asked(const Snapshot& snapshot, const HolderLimits& limits, StrengthSet holding = kStrongOnly,
        bool by_reachability = false)
      : heap(snapshot, holding),
        figures(AnalysedHeap::or_abort(
            class_figures(snapshot, heap.dominators, AnalysedHeap::arena(), heap.cancel))) {
    const Dominators none;
    const HolderQuestion question{snapshot,          by_reachability ? none : heap.dominators,
                                  heap.reachability, holding,
                                  figures,           {}};
    const std::size_t before = AnalysedHeap::arena().used_bytes();
    found =
        AnalysedHeap::or_abort(find_holders(question, limits, AnalysedHeap::arena(), heap.cancel));
    kept_bytes = AnalysedHeap::arena().used_bytes() - before;
  }
  const ClassHolders& of(ClassId id) const {
    const auto at = std::ranges::find(found.classes, id, &ClassHolders::class_id);
    REQUIRE(at != found.classes.end());
    return *at;
  }
  AnalysedHeap heap;
  std::span<const ClassFigures> figures;
  HolderFindings found;
  std::size_t kept_bytes = 0;
};

using Key =
    std::tuple<std::uint32_t, int, std::uint32_t, std::uint32_t>;  // referent, kind, owner, label
struct Sum {
  std::uint64_t references = 0, referrers = 0, bytes = 0;
  std::uint32_t last = ObjectId::kNoneValue;
  friend bool operator==(const Sum& a, const Sum& b) {
    return std::tie(a.references, a.referrers, a.bytes) ==
           std::tie(b.references, b.referrers, b.bytes);
  }
};
using Sums = std::map<Key, Sum>;

ClassId class_behind(const Snapshot& s, ObjectId object) {
  for (std::uint32_t c = 0; c < s.catalog.class_count(); ++c)
    if (s.catalog.classes[c].mirror == object) return ClassId{c};
  return {};
}

// The definition, reference by reference.
Sums counted_slowly(const Snapshot& s, const Dominators& d) {
  Sums sums;
  const auto known = [&](std::uint32_t object) {
    return s.class_of[object].value < s.catalog.class_count();
  };
  for (std::uint32_t v = 0; v < s.object_count(); ++v) {
    if (d.position[v] == ObjectId::kNoneValue) continue;
    for (std::uint32_t i = s.first_ref[v]; i < s.first_ref[v + 1]; ++i) {
      const ObjectId to = s.target[i];
      if (!known(to.value)) continue;
      const RefLabel label = s.label[i];
      const bool is_static = label.is_static_field();
      const ClassId owner = is_static ? class_behind(s, ObjectId{v}) : s.class_of[v];
      const RefLabel place = label.is_element() ? special(SpecialRef::kElement) : label;
      Sum& sum = sums[{s.class_of[to.value].value, is_static ? 1 : 0, owner.value, place.bits}];
      ++sum.references;
      sum.referrers += sum.last == v ? 0 : 1;
      sum.last = v;
      sum.bytes += s.shallow_bytes(to);
    }
  }
  for (const RootRecord& root : s.roots) {
    const std::uint32_t v = root.object.value;
    if (d.position[v] == ObjectId::kNoneValue || !known(v)) continue;
    const bool field = root.kind == RootKind::kStaticField && root.method.valid();
    Sum& sum = sums[{s.class_of[v].value, field ? 3 : 2, field ? root.method.value : 0,
                     static_cast<std::uint32_t>(root.kind)}];
    ++sum.references;
    sum.bytes += s.shallow_bytes(root.object);
  }
  return sums;
}

Sums found_sums(const HolderFindings& found) {
  Sums sums;
  for (const ClassHolders& of : found.classes)
    for (const HolderPlace& p : of.places) {
      const bool root = p.kind == PlaceKind::kRoot || p.kind == PlaceKind::kStaticRoot;
      const std::uint32_t field = p.kind == PlaceKind::kStaticRoot ? p.field.value : 0;
      sums[{of.class_id.value, static_cast<int>(p.kind), root ? field : p.referrer.value,
            root ? static_cast<std::uint32_t>(p.root_kind) : p.label.bits}] = {
          p.references, p.referrers, p.bytes};
    }
  return sums;
}

// Of each class the listed places, the rest and what had no slot come to what it has; the best are listed.
bool adds_up(const HolderFindings& found, const Sums& slow) {
  std::map<std::uint32_t, Sum> of_class;
  for (const auto& [key, sum] : slow) {
    of_class[std::get<0>(key)].references += sum.references;
    of_class[std::get<0>(key)].bytes += sum.bytes;
  }
  for (const ClassHolders& of : found.classes) {
    const Sum& all = of_class[of.class_id.value];
    if (of.references != all.references || of.bytes != all.bytes) return false;
    std::uint64_t listed = of.unplaced_references;
    for (std::size_t i = 0; i < of.places.size(); ++i) {
      listed += of.places[i].references;
      if (i > 0 && of.places[i].references > of.places[i - 1].references) return false;
    }
    if (listed > of.references || of.places.size() > of.places_total) return false;
    if (of.places.size() == of.places_total && listed != of.references) return false;
  }
  return true;
}

bool right(LabGraph& graph, StrengthSet holding, bool by_reachability) {
  const Snapshot s = graph.snapshot();
  const Asked asked(s, kAll, holding, by_reachability);
  const Sums slow = counted_slowly(s, asked.heap.dominators);
  // Classes without objects are not told, and have no places.
  return found_sums(asked.found) == slow && adds_up(asked.found, slow);
}

bool right_when_cut(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  const Asked asked(s, {.classes = 2, .places = 2, .slots = HolderTable::kLeastSlots});
  return asked.found.classes.size() <= 2 &&
         adds_up(asked.found, counted_slowly(s, asked.heap.dominators));
}

}  // namespace

TEST_CASE("holders: fields, elements, static fields, weak references and roots of a small heap") {
  lab::TestHeap heap;
  const ClassId session = heap.klass("shop.Session");
  const ClassId node = heap.klass("java.util.HashMap$Node", {"key", "value"});
  const ClassId array = heap.klass("java.lang.Object[]");
  const ClassId registry = heap.klass("shop.Registry", {"FIRST"});
  const ClassId weak = heap.reference_class("java.lang.ref.WeakReference", Strength::kWeak);
  const ObjectId table = heap.object(array, 64);
  heap.root(table, RootKind::kJniGlobal);
  ObjectId sessions[4];
  for (ObjectId& one : sessions) one = heap.object(session, 48);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const ObjectId entry = heap.object(node, 32);
    heap.element(table, i, entry);
    heap.field(entry, "value", sessions[i]);
    heap.element(table, 10 + i, sessions[0]);
  }
  heap.static_field(registry, "FIRST", sessions[0]);
  const ObjectId reference = heap.object(weak, 24);
  heap.root(reference, RootKind::kJniGlobal);
  heap.referent(reference, sessions[1]);
  heap.local(heap.thread("main"), sessions[2], "shop.Main", "run");
  heap.static_root(sessions[3], "shop.Cache", "last");
  const ObjectId unheld = heap.object(node, 32);
  heap.field(unheld, "key", sessions[0]);  // does not count
  const Snapshot s = heap.snapshot();
  const Asked asked(s, kAll);
  const ClassHolders& of = asked.of(session);
  CHECK(of.references == 10);
  CHECK(of.bytes == 480);
  CHECK(of.places_total == 6);
  CHECK(of.unplaced_references == 0);
  REQUIRE(of.places.size() == 6);
  const HolderPlace &first = of.places[0], &second = of.places[1];
  CHECK(first.references == 3);
  CHECK(second.references == 3);
  const bool elements_first = first.referrer == array;
  const HolderPlace& elements = elements_first ? first : second;
  const HolderPlace& values = elements_first ? second : first;
  CHECK(elements.label == special(SpecialRef::kElement));
  CHECK(elements.referrers == 1);
  CHECK(values.referrer == node);
  CHECK(values.referrers == 3);
  CHECK(values.label == RefLabel::instance_field(1));
  CHECK(values.bytes == 144);
  const auto has = [&](auto&& wanted) { return std::ranges::any_of(of.places, wanted); };
  CHECK(has([&](const HolderPlace& p) {
    return p.kind == PlaceKind::kStaticField && p.referrer == registry && p.referrers == 1;
  }));
  CHECK(has([&](const HolderPlace& p) {
    return p.referrer == weak && strength_of(p.label) == Strength::kWeak;
  }));
  CHECK(has([](const HolderPlace& p) {
    return p.kind == PlaceKind::kRoot && p.root_kind == RootKind::kStackLocal && p.referrers == 0;
  }));
  CHECK(has([](const HolderPlace& p) { return p.kind == PlaceKind::kStaticRoot; }));
}

TEST_CASE("holders: the places with the most references are kept, the others summed up") {
  lab::TestHeap heap;
  const ClassId row = heap.klass("shop.Row");
  const ObjectId one = heap.object(row, 16);
  for (std::uint32_t c = 0; c < 8; ++c) {
    const ClassId owner = heap.klass("shop.Owner" + std::to_string(c), {"row"});
    for (std::uint32_t i = 0; i <= c; ++i) {
      const ObjectId holder = heap.object(owner, 16);
      heap.root(holder, RootKind::kJniGlobal);
      heap.field(holder, "row", one);
    }
  }
  const Snapshot s = heap.snapshot();
  const Asked asked(s, {.classes = 100, .places = 3});
  const ClassHolders& of = asked.of(row);
  CHECK(of.references == 36);
  CHECK(of.places_total == 8);
  REQUIRE(of.places.size() == 3);
  CHECK(of.places[0].references == 8);
  CHECK(of.places[2].references == 6);
}

TEST_CASE("holders: random graphs are counted as the definition counts them") {
  for (std::uint64_t seed = 1; seed <= tries(400); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    const StrengthSet holding =
        seed % 3 == 0 ? holding_strengths(kRetainStrong | kRetainSoft) : kStrongOnly;
    CAPTURE(seed);
    const auto both = [holding](LabGraph& one) {
      return right(one, holding, false) && right(one, holding, true);
    };
    REQUIRE(lab::counterexample(graph, "holders", both) == "");
    REQUIRE(lab::counterexample(graph, "holders cut", right_when_cut) == "");
  }
}

TEST_CASE("holders: more places than there are slots: the references are counted all the same") {
  lab::TestHeap heap;
  const ClassId row = heap.klass("shop.Row");
  const ObjectId one = heap.object(row, 16);
  constexpr std::uint32_t kOwners = 400;
  for (std::uint32_t c = 0; c < kOwners; ++c) {
    const ObjectId holder = heap.object(heap.klass("o" + std::to_string(c), {"row"}), 16);
    heap.root(holder, RootKind::kJniGlobal);
    heap.field(holder, "row", one);
  }
  const Snapshot s = heap.snapshot();
  const Asked asked(s, {.classes = 1, .places = 5, .slots = HolderTable::kLeastSlots});
  const ClassHolders& of = asked.found.classes[0];
  REQUIRE(of.class_id == row);
  CHECK(of.references == kOwners);
  CHECK(of.places_total == 192);  // three of four slots
  CHECK(of.unplaced_references == kOwners - 192);
  CHECK(of.unplaced_bytes == 16 * (kOwners - 192));
}

TEST_CASE("holders: without memory the pass answers so and leaves the arena as it was") {
  lab::TestHeap heap;
  const ClassId row = heap.klass("shop.Row", {"next"});
  const ObjectId one = heap.object(row, 16);
  heap.root(one, RootKind::kJniGlobal);
  heap.field(one, "next", heap.object(row, 16));
  const Snapshot s = heap.snapshot();
  const Asked asked(s, kAll);
  CHECK(asked.kept_bytes < 1u << 16);
  lab::TestArena little(4096);
  const HolderQuestion question{s,           asked.heap.dominators, asked.heap.reachability,
                                kStrongOnly, asked.figures,         {}};
  const auto refused = find_holders(question, HolderLimits{}, little.arena(), asked.heap.cancel);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(little.arena().used_bytes() == 0);
  // A table of half the slots and less is tried before that.
  lab::TestArena some(48u << 10);
  const auto table = HolderTable::make(1u << 17, some.arena());
  REQUIRE(table.ok());
  CHECK(table->slots().size() >= HolderTable::kLeastSlots);
  CHECK(table->slots().size() < 1u << 17);
}

TEST_CASE("holders: a cancelled dump ends the pass") {
  lab::TestHeap heap;
  heap.root(heap.object(heap.klass("shop.Row")), RootKind::kJniGlobal);
  const Snapshot s = heap.snapshot();
  const Asked asked(s, kAll);
  CancelToken cancel;
  cancel.cancel();
  const HolderQuestion question{s,           asked.heap.dominators, asked.heap.reachability,
                                kStrongOnly, asked.figures,         {}};
  const auto refused = find_holders(question, HolderLimits{}, AnalysedHeap::arena(), cancel);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kCancelled);
}
