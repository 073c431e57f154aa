#include "analysis/lab/thesis/simple_load.h"

#include <doctest/doctest.h>

#include "analysis/lab/thesis/bfs_dynamic_sizes.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/thesis_statistics.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;
using lab::SimpleLoadShape;

namespace {

lab::ThesisStatistics check_exact(const SimpleLoadShape& shape, LabGraph& graph) {
  const Snapshot s = graph.snapshot();
  const lab::ThesisGraphs g = lab::thesis_graphs(s);
  const lab::ThesisStatistics found = lab::thesis_statistics(g);
  CHECK(found.nodes == shape.nodes);
  CHECK(found.references == shape.references);
  CHECK(found.roots == shape.roots);
  CHECK(s.roots.size() == shape.roots);
  CHECK(found.leaves == shape.leaves);
  CHECK(found.components == shape.components);
  CHECK(found.cyclic == shape.cyclic);
  CHECK(found.largest == shape.largest);
  CHECK(found.component_roots == shape.roots);
  CHECK(found.component_leaves == shape.component_leaves);
  std::uint32_t classes = 0;
  for (const ClassId c : graph.class_of) classes += c == ClassId{0} ? 1 : 0;
  CHECK(classes == shape.classes);
  CHECK(graph.classes.size() == shape.classes);
  return found;
}

void check_near(double found, double wanted, double percent) {
  CHECK(found >= wanted * (1 - percent / 100));
  CHECK(found <= wanted * (1 + percent / 100));
}

}  // namespace

// The rows themselves are measured by thesis_heaps_bench.cpp.
TEST_CASE("simple load: every row with fewer cities, of several seeds") {
  std::uint64_t seed = 1;
  for (const SimpleLoadShape& row : lab::table_5_1_rows()) {
    INFO(row.nodes);
    const SimpleLoadShape shape = lab::with_cities(row, 500);
    LabGraph graph = lab::simple_load(shape, ++seed);
    const lab::ThesisStatistics found = check_exact(shape, graph);
    check_near(found.articulation_points, shape.articulation_points, 1);
    check_near(found.dominating_points, shape.dominating_points, 1);
    CHECK(found.component_height.most == 38);
    CHECK(found.component_tree_height.most == 20);
    CHECK(found.tree_height.most == 20);
    LabGraph again = lab::simple_load(shape, seed), other = lab::simple_load(shape, seed + 1);
    CHECK(graph.target == again.target);
    CHECK(graph.target != other.target);
  }
}

TEST_CASE("simple load: all that are right agree on the sizes") {
  LabGraph graph = lab::simple_load(lab::with_cities(lab::table_5_1_rows()[0], 20), 5);
  const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
  const lab::NaiveGraph& c = g.components;
  const auto all = lab::all_nodes(c);
  const auto expected = lab::simple_dynamic_sizes(c, all).bytes;
  const auto points = lab::articulation_points(c);
  CHECK(lab::sizes_of_nodes(expected, g.found.component) ==
        lab::simple_dynamic_sizes(g.nodes, lab::all_nodes(g.nodes)).bytes);
  CHECK(lab::bfs_dynamic_sizes(c, 1u << 30).bytes == expected);
  CHECK(lab::dynamic_sizes_by_points(c, lab::dominating_points(c, g.component_idom), all).bytes ==
        expected);
  const auto above = lab::points_above_one_block(c, points, lab::Parents::kInOtherBlocks);
  CHECK(lab::dynamic_sizes_by_points(c, above, all).bytes == expected);
}
