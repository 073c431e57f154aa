#include "analysis/lab/thesis/server_like.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "analysis/lab/analysed_heap.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "analysis/reachable/condensation.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::AnalysedHeap;
using lab::LabGraph;
using lab::ServerShape;

namespace {

const std::vector<std::uint64_t> kLimits{1'000,      10'000,     100'000,    1'000'000,  10'000'000,
                                         25'000'000, 50'000'000, 75'000'000, 100'000'000};

std::vector<std::uint32_t> differences(const lab::ThesisGraphs& g) {
  const auto points = lab::dominating_points(g.components, g.component_idom);
  const auto sizes =
      lab::dynamic_sizes_by_points(g.components, points, lab::all_nodes(g.components));
  return lab::size_differences(lab::sizes_of_nodes(sizes.bytes, g.found.component),
                               lab::gc_sizes(g.nodes, g.idom), kLimits);
}

void check_exact(const ServerShape& shape, const LabGraph& graph,
                 const lab::ThesisStatistics& found) {
  std::uint32_t classes = 0;
  for (const ClassId c : graph.class_of) classes += c == ClassId{0} ? 1 : 0;
  CHECK(classes == shape.classes);
  CHECK(graph.classes.size() == shape.classes);
  CHECK(graph.roots.size() == shape.roots);
  CHECK(found.nodes == shape.nodes);
  CHECK(found.references == shape.references);
  CHECK(found.roots == shape.roots);
  CHECK(found.leaves == shape.leaves);
  CHECK(found.components == shape.components);
  CHECK(found.cyclic == shape.cyclic);
  CHECK(found.largest == shape.largest);
  CHECK(found.component_roots == shape.roots);
  CHECK(found.component_leaves == shape.component_leaves);
}

// The roots are those that [Thesis]'s algorithm finds.
bool roots_are_found(LabGraph& graph) {
  auto found = lab::find_roots_and_leaves(lab::node_graph(graph.snapshot())).roots;
  std::vector<std::uint32_t> given;
  for (const RootRecord& root : graph.roots) given.push_back(root.object.value);
  std::sort(found.begin(), found.end());
  std::sort(given.begin(), given.end());
  return found == given;
}

void check_near(double found, double wanted, double percent) {
  CHECK(found >= wanted * (1 - percent / 100));
  CHECK(found <= wanted * (1 + percent / 100));
}

}  // namespace

TEST_CASE("server-like graphs: small ones of every row, of several seeds") {
  for (const ServerShape& row : lab::table_5_2_rows()) {
    for (const std::uint32_t divisor : {100u, 400u}) {
      INFO(row.nodes, " / ", divisor);
      const ServerShape shape = lab::scaled(row, divisor);
      LabGraph graph = lab::server_like(shape, divisor);
      check_exact(shape, graph, lab::thesis_statistics(lab::thesis_graphs(graph.snapshot())));
      CHECK(roots_are_found(graph));
      LabGraph again = lab::server_like(shape, divisor), other = lab::server_like(shape, 7);
      CHECK(again.target == graph.target);
      CHECK(other.target != graph.target);
    }
  }
}

TEST_CASE("server-like graphs: the components of the passes are the same") {
  const ServerShape shape = lab::scaled(lab::table_5_2_rows()[5], 20);
  LabGraph graph = lab::server_like(shape, 1);
  const Snapshot s = graph.snapshot();
  AnalysedHeap heap(s);
  CHECK(heap.dominators.held_objects == shape.nodes);
  auto made = condense(heap.references, {}, heap.arena(), heap.cancel);
  REQUIRE(made.ok());
  CHECK(made->count() == shape.components);
  CHECK(made->components.cyclic == shape.cyclic);
  CHECK(made->components.objects[made->components.largest] == shape.largest);
  CHECK(made->sources == shape.roots);
  CHECK(made->sinks == shape.component_leaves);
}

// A tenth of each row; the rows themselves are measured by thesis_heaps_bench.cpp.
TEST_CASE("server-like graphs: tables A.2 and 5.3, a tenth of each row") {
  for (const ServerShape& row : lab::table_5_2_rows()) {
    INFO(row.nodes);
    const ServerShape shape = lab::scaled(row, 10);
    LabGraph graph = lab::server_like(shape, 1);
    const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
    const auto found = lab::thesis_statistics(g);
    check_exact(shape, graph, found);
    check_near(found.articulation_points, shape.articulation_points, 0.1);
    check_near(found.dominating_points, shape.dominating_points, 0.1);
    check_near(found.component_height.average, shape.average_height, 1);
    CHECK(found.component_height.most == shape.max_height);
    check_near(found.tree_height.most, 337, 2);
    std::uint64_t units = 0;
    for (const std::uint32_t of_node : graph.shallow_units) units += of_node;
    check_near(static_cast<double>(units * kShallowUnitBytes), 1'024.0 * shape.heap_kb, 1);

    const auto differ = differences(g);
    check_near(differ[1], shape.differ_1kb, 6);
    check_near(differ[2], shape.differ_10kb, 10);
    check_near(differ[3], shape.differ_100kb, 1);
    // All that reach the largest component reach the heap but for what hangs on other roots.
    const double reached = 1'024.0 * shape.heap_kb * 0.85;
    const auto from = std::upper_bound(kLimits.begin(), kLimits.end(), reached) - kLimits.begin();
    const double all = std::accumulate(differ.begin() + from, differ.end(), 0.0);
    check_near(all, shape.largest + shape.above_largest, 2);
  }
}

TEST_CASE("server-like graphs: numbers that contradict each other are refused") {
  ServerShape shape = lab::scaled(lab::table_5_2_rows()[5], 100);
  shape.references = shape.nodes / 2;
  CHECK_THROWS_AS(lab::server_like(shape, 1), std::invalid_argument);
  shape = lab::scaled(lab::table_5_2_rows()[5], 100);
  shape.components = shape.nodes;
  CHECK_THROWS_AS(lab::server_like(shape, 1), std::invalid_argument);
}
