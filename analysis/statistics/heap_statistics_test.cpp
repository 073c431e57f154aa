#include "analysis/statistics/heap_statistics.h"

#include <doctest/doctest.h>

#include <array>
#include <sstream>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/heap_like.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/lab/thesis/simple_load.h"
#include "analysis/lab/thesis/thesis_graphs.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

HeapStatistics statistics_of(const Snapshot& s) {
  const lab::AnalysedHeap heap(s);
  const Arena::Mark before = heap.arena().mark();
  const HeapStatistics found =
      heap.or_abort(heap_statistics(heap.references, heap.arena(), heap.cancel));
  CHECK(heap.arena().mark() == before);
  CHECK(found.nodes == found.classes + found.objects);
  return found;
}

// All columns, in the order of [Thesis].
template <class Statistics>
std::string columns(const Statistics& s) {
  std::ostringstream text;
  text.precision(17);
  for (const std::uint64_t number :
       {std::uint64_t{s.nodes}, std::uint64_t{s.references}, std::uint64_t{s.roots},
        std::uint64_t{s.leaves}, std::uint64_t{s.components}, std::uint64_t{s.cyclic},
        std::uint64_t{s.largest}, std::uint64_t{s.component_roots},
        std::uint64_t{s.component_leaves}, std::uint64_t{s.articulation_points},
        std::uint64_t{s.dominating_points}})
    text << number << ' ';
  text << s.average_cyclic;
  for (const auto& measure : {s.tree_width, s.tree_height, s.component_tree_width,
                              s.component_tree_height, s.component_width, s.component_height})
    text << ' ' << measure.average << ' ' << measure.most;
  return text.str();
}

bool as_the_thesis(LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  return columns(statistics_of(s)) == columns(lab::thesis_statistics(lab::thesis_graphs(s)));
}

void check_columns(LabGraph graph) {
  const Snapshot s = graph.snapshot();
  CHECK(columns(statistics_of(s)) == columns(lab::thesis_statistics(lab::thesis_graphs(s))));
}

}  // namespace

TEST_CASE("heap statistics: as the thesis' algorithms have them, on its graphs") {
  for (const std::uint32_t objects : {0u, 1u, 2u, 5u, lab::kThesisSmallest}) {
    check_columns(lab::balanced_tree(objects));
    check_columns(lab::unbalanced_tree(objects));
    check_columns(lab::dag1(objects));
    check_columns(lab::dag2(objects));
    check_columns(lab::dense_dag(objects, 40));
  }
}

TEST_CASE("heap statistics: as the thesis' algorithms have them, on heaps like its own") {
  check_columns(lab::server_like(lab::table_5_2_rows().front(), 3));
  check_columns(lab::simple_load(lab::with_cities(lab::table_5_1_rows().front(), 300), 1));
}

TEST_CASE(
    "heap statistics: as the thesis' algorithms have them, on named shapes and small graphs") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    check_columns(shape.graph);
  }
  std::uint64_t differ = 0;
  for (std::uint32_t objects = 1; objects <= 3; ++objects)
    lab::for_all_graphs(objects, [&](LabGraph& graph) { differ += as_the_thesis(graph) ? 0 : 1; });
  CHECK(differ == 0);
}

TEST_CASE("heap statistics: as the thesis' algorithms have them, on random graphs") {
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, seed % 2 == 0);
    REQUIRE(lab::counterexample(graph, "statistics", as_the_thesis) == "");
  }
  check_columns(lab::heap_like(20'000, 9, lab::ObjectOrder::kShuffled));
}

TEST_CASE("heap statistics: class objects are nodes, what implies them is no reference") {
  LabGraph graph = lab::graph_of(5, {{0, 1}, {1, 2}, {2, 1}, {3, 3}}, {0});
  graph.classes.push_back(graph.classes.front());
  graph.classes[0].mirror = graph.classes[1].mirror = ObjectId{4};
  const HeapStatistics found = statistics_of(graph.snapshot());
  CHECK(found.nodes == 5);
  CHECK(found.classes == 1);
  CHECK(found.objects == 4);
  CHECK(found.references == 4);
  CHECK(found.roots == 3);   // 0, 3 that only it itself refers to, 4
  CHECK(found.leaves == 1);  // 4
  CHECK(found.component_leaves == 3);
  CHECK(found.largest == 2);
  CHECK(found.tree_height.most == 3);
  CHECK(found.tree_width.most == 3);
  CHECK(found.tree_width.average == doctest::Approx(5.0 / 3));
}

TEST_CASE("heap statistics: memory stays below what is stated") {
  for (LabGraph& graph : std::array{lab::heap_like(300'000, 4, lab::ObjectOrder::kCapture),
                                    lab::heap_like(300'000, 4, lab::ObjectOrder::kShuffled),
                                    lab::chain(300'000), lab::graph_of(300'000, {}, {})}) {
    const Snapshot s = graph.snapshot();
    lab::TestArena memory;
    const CancelToken cancel;
    const auto references = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(references.ok());
    memory.arena().take_peak_bytes();
    const auto found = heap_statistics(*references, memory.arena(), cancel);
    REQUIRE(found.ok());
    constexpr std::uint64_t kRounding = std::uint64_t{1} << 16;
    const std::uint64_t stated =
        heap_statistics_bytes(s.object_count(), s.reference_count(), found->roots) + kRounding;
    CHECK(memory.arena().take_peak_bytes() <= stated);
  }
}

TEST_CASE("heap statistics: a chain of a million, cancelled and without memory") {
  LabGraph graph = lab::chain(1'000'000);
  const Snapshot s = graph.snapshot();
  const HeapStatistics found = statistics_of(s);
  CHECK(found.tree_height.most == 1'000'000);
  CHECK(found.component_height.average == 500'000.5);
  CHECK(found.articulation_points == 999'998);
  CHECK(found.dominating_points == 999'999);
  lab::TestArena memory(std::uint64_t{1} << 28);
  CancelToken cancel;
  const auto references = CountedReferences::make(s, memory.arena(), cancel);
  REQUIRE(references.ok());
  cancel.cancel();
  const Arena::Mark before = memory.arena().mark();
  const auto cancelled = heap_statistics(*references, memory.arena(), cancel);
  REQUIRE_FALSE(cancelled.ok());
  CHECK(cancelled.error().code == ErrorCode::kCancelled);
  CHECK(memory.arena().mark() == before);
  cancel.reset();
  lab::TestArena small(std::uint64_t{40} << 20);
  const auto refused = heap_statistics(*references, small.arena(), cancel);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CHECK(small.arena().used_bytes() == 0);
}
