// The generated heaps beside [Thesis]'s tables: every row at its full size, all columns that are promised.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdio>

#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/lab/thesis/simple_load.h"
#include "analysis/lab/thesis/thesis_statistics.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

template <class Shape>
void check_exact(const Shape& shape, const lab::ThesisStatistics& s) {
  CHECK(s.nodes == shape.nodes);
  CHECK(s.references == shape.references);
  CHECK(s.roots == shape.roots);
  CHECK(s.leaves == shape.leaves);
  CHECK(s.components == shape.components);
  CHECK(s.cyclic == shape.cyclic);
  CHECK(s.largest == shape.largest);
  CHECK(s.component_roots == shape.roots);
  CHECK(s.component_leaves == shape.component_leaves);
}

void print(const lab::ThesisStatistics& s, std::uint32_t points, std::uint32_t dominating,
           double generated, double measured) {
  std::printf("%9u %9u %8u %8u %8u %8u %6.2f %3u %6.2f %4u %6.2f %3u %7.2f %7.2f\n", s.nodes,
              s.references, s.articulation_points, points, s.dominating_points, dominating,
              s.component_height.average, s.component_height.most, s.tree_height.average,
              s.tree_height.most, s.component_tree_height.average, s.component_tree_height.most,
              generated, measured);
}
constexpr char kHead[] =
    "    nodes references  points (thesis) dominating (thesis) graph height  dominator tree of "
    "components  made s  statistics s\n";

template <class Shape, class Make>
lab::ThesisGraphs row(const Shape& shape, Make make) {
  const double start = seconds();
  LabGraph graph = make(shape, 1);
  const double made = seconds();
  lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
  const lab::ThesisStatistics s = lab::thesis_statistics(g);
  check_exact(shape, s);
  print(s, shape.articulation_points, shape.dominating_points, made - start, seconds() - made);
  return g;
}

}  // namespace

TEST_CASE("simple load generator's heaps, tables 5.1 and A.4") {
  std::printf("%s", kHead);
  for (const lab::SimpleLoadShape& shape : lab::table_5_1_rows()) row(shape, lab::simple_load);
}

TEST_CASE("server's heaps, tables 5.2, 5.3 and A.2") {
  const std::vector<std::uint64_t> limits{1'000,      10'000,     100'000,
                                          1'000'000,  10'000'000, 25'000'000,
                                          50'000'000, 75'000'000, 100'000'000};
  for (const lab::ServerShape& shape : lab::table_5_2_rows()) {
    std::printf("%s", kHead);
    const lab::ThesisGraphs g = row(shape, lab::server_like);
    const auto points = lab::dominating_points(g.components, g.component_idom);
    const double start = seconds();
    const auto sizes =
        lab::dynamic_sizes_by_points(g.components, points, lab::all_nodes(g.components));
    std::printf("  by dominating points %.2f s, %llu used, %llu visited; differences",
                seconds() - start, static_cast<unsigned long long>(sizes.used),
                static_cast<unsigned long long>(sizes.visited));
    for (const std::uint32_t count :
         lab::size_differences(lab::sizes_of_nodes(sizes.bytes, g.found.component),
                               lab::gc_sizes(g.nodes, g.idom), limits))
      std::printf(" %u", count);
    std::printf(" (thesis: %u, %u, %u, %u)\n", shape.differ_1kb, shape.differ_10kb,
                shape.differ_100kb, shape.largest + shape.above_largest);
  }
}
