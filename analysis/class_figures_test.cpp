#include "analysis/class_figures.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "analysis/dominators.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/naive.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/test_heap.h"
#include "analysis/packages.h"
#include "analysis/reachability.h"
#include "analysis/root_figures.h"
#include "analysis/set_retained.h"
#include "analysis/top_objects.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

struct Made {
  lab::TestArena memory{std::uint64_t{1} << 26};
  CancelToken cancel;
  StrengthSet holding;
  CountedReferences references;
  Dominators dominators;
  std::span<const ClassFigures> classes;

  explicit Made(const Snapshot& s, StrengthSet strengths = kStrongOnly) : holding(strengths) {
    auto counted = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(counted.ok());
    references = *counted;
    auto d = compute_dominators(references, holding, memory.arena(), cancel);
    REQUIRE(d.ok());
    dominators = *d;
    auto figures = class_figures(s, dominators, memory.arena(), cancel);
    REQUIRE(figures.ok());
    classes = *figures;
  }
};

bool dominated_by_member(const Dominators& d, std::uint32_t v, const std::vector<bool>& members) {
  for (std::uint32_t at = d.idom[v]; at != Dominators::kRoot; at = d.idom[at])
    if (members[at]) return true;
  return false;
}

// The definition: retained sizes of the held members that no other member dominates.
std::uint64_t slow_minimum(const Dominators& d, const std::vector<bool>& members) {
  std::uint64_t sum = 0;
  for (std::uint32_t v = 0; v < members.size(); ++v)
    if (members[v] && d.idom[v] != ObjectId::kNoneValue && !dominated_by_member(d, v, members))
      sum += d.retained_bytes[v];
  return sum;
}

std::uint32_t row_of(const Snapshot& s, std::uint32_t v) {
  return s.class_of[v].valid() ? s.class_of[v].value : s.catalog.class_count();
}

bool classes_right(const Snapshot& s, const Made& made) {
  const Dominators& d = made.dominators;
  for (std::uint32_t row = 0; row <= s.catalog.class_count(); ++row) {
    ClassFigures wanted;
    std::vector<bool> members(s.object_count());
    for (std::uint32_t v = 0; v < s.object_count(); ++v) {
      if (row_of(s, v) != row) continue;
      const bool held = d.idom[v] != ObjectId::kNoneValue;
      members[v] = held;
      (held ? wanted.instances : wanted.unheld_instances) += 1;
      (held ? wanted.shallow_bytes : wanted.unheld_bytes) += s.shallow_bytes(ObjectId{v});
      wanted.largest_retained_bytes = std::max(wanted.largest_retained_bytes, d.retained_bytes[v]);
    }
    const ClassFigures& got = made.classes[row];
    if (got.instances != wanted.instances) return false;
    if (got.shallow_bytes != wanted.shallow_bytes) return false;
    if (got.unheld_instances != wanted.unheld_instances) return false;
    if (got.unheld_bytes != wanted.unheld_bytes) return false;
    if (got.retained_bytes != slow_minimum(d, members)) return false;
    if (got.largest_retained_bytes != wanted.largest_retained_bytes) return false;
    if (got.instances != 0 && d.retained_bytes[got.largest.value] != got.largest_retained_bytes)
      return false;
  }
  return true;
}

bool root_kinds_right(const Snapshot& s, Made& made) {
  auto statistics = graph_statistics(s, made.dominators, made.memory.arena(), made.cancel);
  if (!statistics) return false;
  const lab::NaiveHolding held(s, made.holding);
  for (std::size_t k = 0; k < kRootKindCount; ++k) {
    std::vector<bool> members(s.object_count()), holders(s.object_count());
    std::uint64_t roots = 0;
    for (const RootRecord& root : s.roots) {
      if (static_cast<std::size_t>(root.kind) != k) continue;
      members[root.object.value] = true;
      if (held.counts(root)) holders[root.object.value] = true;
      ++roots;
    }
    const RootKindFigures& got = statistics->root_kinds[k];
    if (got.roots != roots) return false;
    if (got.objects != static_cast<std::uint64_t>(std::count(members.begin(), members.end(), true)))
      return false;
    if (got.retained_bytes != slow_minimum(made.dominators, holders)) return false;
  }
  for (std::uint32_t v = 0; v < s.object_count(); ++v)
    if (s.first_ref[v + 1] - s.first_ref[v] > statistics->max_out_degree) return false;
  return true;
}

}  // namespace

TEST_CASE("class figures and root kinds: as the definition says on random graphs") {
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    const LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    const auto right = [&](LabGraph& g) {
      const Snapshot s = g.snapshot();
      Made made(s, holding_strengths(seed % 4 == 0 ? kRetainSoft : 0u));
      return classes_right(s, made) && root_kinds_right(s, made);
    };
    INFO("seed ", seed);
    REQUIRE(lab::counterexample(graph, "class figures", right) == "");
  }
}

TEST_CASE("class figures: with its class object a class retains what its static fields hold") {
  lab::TestHeap heap;
  const ClassId cart = heap.klass("shop.Cart", {"all"});
  const ClassId bytes = heap.klass("byte[]");
  heap.static_field(cart, "all", heap.object(bytes, 1000));
  const ObjectId one = heap.object(cart, 24);
  heap.field(one, "all", heap.object(bytes, 400));
  heap.root(one, RootKind::kJniGlobal);
  const Snapshot s = heap.snapshot();
  Made made(s);
  const auto with = class_figures(s, made.dominators, made.memory.arena(), made.cancel, true);
  REQUIRE(with.ok());
  const ObjectQuery query{SelectBy::kClassName, "shop.Cart", false, true};
  const auto set = select_objects(s, query, made.memory.arena(), made.cancel);
  REQUIRE(set.ok());
  const auto least = minimum_retained(s, made.dominators, *set, made.cancel);
  REQUIRE(least.ok());
  CHECK((*with)[cart.value].retained_bytes == least->retained_bytes);
  CHECK((*with)[cart.value].retained_bytes ==
        made.classes[cart.value].retained_bytes + 1000 + s.shallow_bytes(heap.class_object(cart)));
  CHECK((*with)[cart.value].instances == 1);
  CHECK((*with)[bytes.value].retained_bytes == made.classes[bytes.value].retained_bytes);
}

TEST_CASE("class counts: without dominators the same instances and shallow sizes") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    LabGraph graph = lab::random_graph(seed, true);
    const Snapshot s = graph.snapshot();
    const StrengthSet holding = holding_strengths(kRetainStrong | kRetainSoft);
    Made made(s, holding);
    auto reached = find_reachability(made.references, made.memory.arena(), made.cancel);
    REQUIRE(reached.ok());
    auto counts = class_counts(s, *reached, holding, made.memory.arena(), made.cancel);
    REQUIRE(counts.ok());
    for (std::size_t row = 0; row < counts->size(); ++row) {
      REQUIRE((*counts)[row].instances == made.classes[row].instances);
      REQUIRE((*counts)[row].shallow_bytes == made.classes[row].shallow_bytes);
      REQUIRE((*counts)[row].unheld_bytes == made.classes[row].unheld_bytes);
    }
  }
}

TEST_CASE("class figures: of a histogram") {
  const ClassCount counted[] = {{3, 72}, {0, 0}, {1, 16}};
  lab::TestArena memory(1u << 20);
  auto figures = class_figures_of(counted, memory.arena());
  REQUIRE(figures.ok());
  CHECK((*figures)[0].instances == 3);
  CHECK((*figures)[2].shallow_bytes == 16);
  CHECK((*figures)[2].retained_bytes == 0);
}

TEST_CASE(
    "packages: the name up to the last dot, of an array's element, without what follows the name") {
  CHECK(package_of("shop.Session") == "shop");
  CHECK(package_of("java.util.concurrent.ConcurrentHashMap$Node[]") == "java.util.concurrent");
  CHECK(package_of("int[]") == "");
  CHECK(package_of("shop.Cart.<>c__DisplayClass3_0") == "shop");
  CHECK(package_of("shop.Cart.<LoadAsync>d__5<int>[]") == "shop");
  CHECK(package_of("Cart.<>c") == "");
  CHECK(package_of("<>f__AnonymousType0<shop.Cart>") == "");
  CHECK(package_of("Main") == "");
  CHECK(package_of("shop.Main$$Lambda/0x00007f.1") == "shop");
  CHECK(package_of("shop.Main$$Lambda.0x00007f12") == "shop");
  CHECK(package_of("System.Collections.Generic.List<System.String>") ==
        "System.Collections.Generic");
}

TEST_CASE("packages and loaders: sets of classes, nothing counted twice") {
  lab::TestHeap heap;
  const ClassId cart = heap.klass("shop.Cart", {"items"});
  const ClassId item = heap.klass("shop.Item");
  const ClassId array = heap.klass("java.lang.Object[]");
  const ObjectId a = heap.object(cart, 32);
  const ObjectId items = heap.object(array, 64);
  heap.root(a, RootKind::kOther);
  heap.field(a, "items", items);
  heap.element(items, 0, heap.object(item, 24));
  heap.element(items, 1, heap.object(item, 24));
  const Snapshot s = heap.snapshot();
  Made made(s);
  auto packages =
      package_figures(s, made.dominators, made.classes, made.memory.arena(), made.cancel);
  REQUIRE(packages.ok());
  REQUIRE(packages->size() == 2);
  CHECK((*packages)[0].name == "shop");
  CHECK((*packages)[0].class_count == 2);
  CHECK((*packages)[0].instances == 3);
  CHECK((*packages)[0].shallow_bytes == 80);
  CHECK((*packages)[0].retained_bytes == 144);
  CHECK((*packages)[1].name == "java.lang");
  CHECK((*packages)[1].retained_bytes == 112);
  auto loaders = loader_figures(s, made.dominators, made.classes, made.memory.arena(), made.cancel);
  REQUIRE(loaders.ok());
  CHECK((*loaders)[0].instances == 1);
  CHECK((*loaders)[1].retained_bytes == 144);
}

TEST_CASE("threads: the thread object and its locals as one set") {
  lab::TestHeap heap;
  const ClassId bytes = heap.klass("byte[]");
  const ThreadId worker = heap.thread("worker");
  const ThreadId other = heap.thread("other");
  const ObjectId big = heap.object(bytes, 1000);
  heap.local(worker, big, "shop.Report", "run");
  heap.local(worker, big, "shop.Report", "fill", 1);
  heap.refer(heap.thread_object(worker), heap.object(bytes, 200), RefLabel::instance_field(0));
  heap.local(other, heap.thread_object(worker), "shop.Main", "main");
  const Snapshot s = heap.snapshot();
  Made made(s);
  auto threads = thread_figures(s, made.dominators, made.memory.arena());
  REQUIRE(threads.ok());
  CHECK((*threads)[0].retained_bytes == 1000 + 200 + 120);
  CHECK((*threads)[0].local_roots == 2);
  CHECK((*threads)[1].retained_bytes == 120);  // a thread lasts longer than the frames that use it
}

TEST_CASE("threads: what a possible stack slot has is its thread's, and counted as of its kind") {
  lab::TestHeap heap;
  const ThreadId worker = heap.thread("worker");
  const ObjectId big = heap.object(heap.klass("byte[]"), 1000);
  heap.local(worker, big, "shop.Report", "run", 3, RootKind::kPossibleStackSlot);
  const Snapshot s = heap.snapshot();
  Made made(s);
  auto threads = thread_figures(s, made.dominators, made.memory.arena());
  REQUIRE(threads.ok());
  CHECK((*threads)[0].retained_bytes == 1000 + 120);
  CHECK((*threads)[0].local_roots == 1);
  auto statistics = graph_statistics(s, made.dominators, made.memory.arena(), made.cancel);
  REQUIRE(statistics.ok());
  const auto kind = static_cast<std::size_t>(RootKind::kPossibleStackSlot);
  CHECK(statistics->root_kinds[kind].roots == 1);
  CHECK(statistics->root_kinds[kind].retained_bytes == 1000);
}

TEST_CASE("top objects: the largest, in order, whatever the limit") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    LabGraph graph = lab::random_graph(seed, false);
    Made made(graph.snapshot());
    std::vector<ObjectId> wanted;
    for (std::uint32_t v = 0; v < graph.object_count(); ++v)
      if (made.dominators.idom[v] != ObjectId::kNoneValue) wanted.emplace_back(v);
    std::stable_sort(wanted.begin(), wanted.end(), [&](ObjectId a, ObjectId b) {
      return made.dominators.retained_bytes[a.value] > made.dominators.retained_bytes[b.value];
    });
    const auto limit = static_cast<std::uint32_t>(1 + seed % 60);
    if (wanted.size() > limit) wanted.resize(limit);
    auto top = top_objects(made.dominators, limit, made.memory.arena(), made.cancel);
    REQUIRE(top.ok());
    REQUIRE(std::vector<ObjectId>(top->begin(), top->end()) == wanted);
  }
}
