#include "analysis/lab/delta/graph_minimizer.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/lab/random.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::DdminEnd;
using lab::LabGraph;
using lab::MinimisedGraph;

namespace {

bool has(const LabGraph& graph, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t i = graph.first_ref[from]; i < graph.first_ref[from + 1]; ++i)
    if (graph.target[i].value == to) return true;
  return false;
}

// From a root to object `to`, by brute force.
bool reaches(const LabGraph& graph, std::uint32_t to) {
  std::vector<bool> reached(graph.object_count());
  for (const RootRecord& root : graph.roots) reached[root.object.value] = true;
  for (std::uint32_t round = 0; round < graph.object_count(); ++round)
    for (std::uint32_t v = 0; v < graph.object_count(); ++v)
      for (std::uint32_t i = graph.first_ref[v]; reached[v] && i < graph.first_ref[v + 1]; ++i)
        reached[graph.target[i].value] = true;
  return reached[to];
}

LabGraph without_reference(const LabGraph& graph, std::uint32_t gone) {
  std::vector<lab::LabEdge> edges;
  for (std::uint32_t v = 0; v < graph.object_count(); ++v)
    for (std::uint32_t i = graph.first_ref[v]; i < graph.first_ref[v + 1]; ++i)
      if (i != gone) edges.push_back({v, graph.target[i].value, graph.label[i]});
  LabGraph made = graph;
  lab::set_edges(made, edges);
  return made;
}

LabGraph without_root(const LabGraph& graph, std::size_t gone) {
  LabGraph made = graph;
  made.roots.erase(made.roots.begin() + static_cast<std::ptrdiff_t>(gone));
  return made;
}

bool is_minimal(const LabGraph& graph, const lab::GraphTest& shows, bool roots_too) {
  LabGraph whole = graph;
  if (!shows(whole)) return false;
  for (std::uint32_t r = 0; r < graph.target.size(); ++r) {
    LabGraph less = without_reference(graph, r);
    if (shows(less)) return false;
  }
  for (std::size_t r = 0; roots_too && r < graph.roots.size(); ++r) {
    LabGraph less = without_root(graph, r);
    if (shows(less)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE(
    "graph minimizer: the references that matter are left, objects, classes and labels stay") {
  const LabGraph graph = lab::random_graph({300, 3000, 3, 4, 20}, 17);
  std::vector<lab::LabEdge> wanted;
  for (const std::uint32_t v : {7u, 8u, 250u})
    if (graph.first_ref[v] < graph.first_ref[v + 1])
      wanted.push_back(
          {v, graph.target[graph.first_ref[v]].value, graph.label[graph.first_ref[v]]});
  REQUIRE(wanted.size() == 3);
  MinimisedGraph made = lab::minimised(graph, [&](LabGraph& g) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const lab::LabEdge& e) { return has(g, e.from, e.to); });
  });
  CHECK(made.end == DdminEnd::kMinimal);
  CHECK(made.references_before == 3000);
  CHECK(made.references_after == 3);
  CHECK(made.graph.object_count() == 300);
  CHECK(made.graph.class_of == graph.class_of);
  CHECK(made.graph.shallow_units == graph.shallow_units);
  CHECK(made.graph.classes.size() == graph.classes.size());
  CHECK(made.graph.roots.size() == 3);
  CHECK(made.roots_after == 3);
  for (const lab::LabEdge& e : wanted) {
    const std::uint32_t i = made.graph.first_ref[e.from];
    CHECK(made.graph.target[i].value == e.to);
    CHECK(made.graph.label[i] == e.label);
  }
  CHECK(made.tests < 150);
}

TEST_CASE("graph minimizer: 1-minimal in references, and in roots where they are let go") {
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    INFO("seed ", seed);
    LabGraph graph = lab::random_graph({40, 120, 4, 2, 0}, seed);
    lab::Random random(seed);
    const std::uint32_t a = random.below(40), b = random.below(40);
    // Not monotone: more references may hide it.
    const auto shows = [&](LabGraph& g) {
      return reaches(g, a) && (!reaches(g, b) || g.target.size() % 3 != 0);
    };
    for (const bool roots_too : {false, true}) {
      const bool shown = shows(graph);
      const MinimisedGraph made = lab::minimised(graph, shows, {.roots_too = roots_too});
      REQUIRE((made.end == DdminEnd::kNeverShown) == !shown);
      if (shown) REQUIRE(is_minimal(made.graph, shows, roots_too));
      if (!roots_too) REQUIRE(made.graph.roots.size() == 4);
    }
  }
}

TEST_CASE("graph minimizer: a chain's end needs the whole chain, and one root") {
  LabGraph graph = lab::chain(60);
  for (const std::uint32_t root : {0u, 0u, 5u}) graph.add_root(root);
  const auto shows = [](LabGraph& g) { return reaches(g, 59); };
  CHECK(lab::minimised(graph, shows).references_after == 54);
  const MinimisedGraph made = lab::minimised(graph, shows, {.roots_too = true});
  CHECK(made.roots_before == 4);
  CHECK(made.roots_after == 1);
  CHECK((made.references_after == 54 || made.references_after == 59));
}

TEST_CASE(
    "graph minimizer: never shown is refused, always shown leaves nothing, the text says so") {
  LabGraph graph = lab::complete(20);
  const MinimisedGraph never = lab::minimised(graph, [](LabGraph&) { return false; });
  CHECK(never.end == DdminEnd::kNeverShown);
  CHECK(never.references_after == 400);
  CHECK(never.tests == 1);
  CHECK(lab::summary(never).find("the whole graph does not show it") != std::string::npos);
  const MinimisedGraph always =
      lab::minimised(graph, [](LabGraph&) { return true; }, {.roots_too = true});
  CHECK(always.references_after == 0);
  CHECK(always.roots_after == 0);
  CHECK(lab::summary(always).find("0 of 400 references and 0 of 1 roots are left") == 0);
  LabGraph empty = lab::graph_of(0, {}, {});
  CHECK(lab::minimised(empty, [](LabGraph&) { return true; }).end == DdminEnd::kMinimal);
}

TEST_CASE("graph minimizer: the bounds on tests and time hold over all steps") {
  LabGraph graph = lab::chain(100);
  const auto shows = [](LabGraph& g) { return reaches(g, 99); };
  for (const std::uint64_t allowed : {0u, 1u, 10u, 100u, 200u}) {
    const MinimisedGraph made =
        lab::minimised(graph, shows, {.roots_too = true, .max_tests = allowed});
    CHECK(made.tests == allowed);
    CHECK(made.end == DdminEnd::kTestsSpent);
    CHECK(made.references_after == 99);
    CHECK(lab::summary(made).find("the tests allowed are spent") != std::string::npos);
  }
  const MinimisedGraph late = lab::minimised(graph, shows, {.time = std::chrono::milliseconds(0)});
  CHECK(late.end == DdminEnd::kOutOfTime);
  CHECK(lab::summary(late).find("the time is over") != std::string::npos);
}

TEST_CASE("graph minimizer: a test may change the graph that it is given") {
  LabGraph graph = lab::chain(30);
  const MinimisedGraph made = lab::minimised(graph, [](LabGraph& g) {
    const bool shown = g.classes.size() == 1 && has(g, 3, 4);
    g.classes.clear();
    g.first_ref.assign(31, 0);
    g.target.clear();
    return shown;
  });
  CHECK(made.references_after == 1);
  CHECK(has(made.graph, 3, 4));
}

TEST_CASE("graph minimizer: a snapshot's copy keeps its names") {
  lab::TestHeap heap;
  const ClassId cart = heap.klass("shop.Cart", {"item"});
  const ObjectId one = heap.object(cart, 24);
  const ObjectId other = heap.object(cart, 32);
  heap.root(one, RootKind::kStackLocal);
  heap.field(one, "item", other);
  const Snapshot s = heap.snapshot();
  LabGraph copy = lab::graph_of(s);
  MinimisedGraph made = lab::minimised(copy, [&](LabGraph& g) {
    return g.snapshot().catalog.class_name(cart) == "shop.Cart" && reaches(g, other.value);
  });
  const Snapshot small = made.graph.snapshot();
  CHECK(verify(small).ok());
  CHECK(small.reference_count() == 1);
  CHECK(small.catalog.field_name(cart, small.label[0].index()) == "item");
  CHECK(small.shallow_unit_bytes == s.shallow_unit_bytes);
}
