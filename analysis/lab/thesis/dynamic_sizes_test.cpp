#include "analysis/lab/thesis/dynamic_sizes.h"

#include <doctest/doctest.h>

#include <functional>

#include "analysis/lab/shapes.h"
#include "analysis/lab/thesis/bfs_dynamic_sizes.h"
#include "analysis/lab/thesis/dominating_points.h"
#include "analysis/lab/thesis/lengauer_tarjan.h"
#include "analysis/lab/thesis/server_like.h"
#include "analysis/lab/thesis/thesis_graphs.h"
#include "analysis/lab/thesis/thesis_statistics.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;
using lab::NaiveGraph;
using Sizes = std::vector<std::uint64_t>;

namespace {

constexpr std::uint64_t kEnough = std::uint64_t{1} << 30;

Sizes plain_sizes(const NaiveGraph& graph) {
  Sizes sizes;
  for (std::uint32_t v = 0; v < graph.count(); ++v) {
    std::vector<bool> reached(graph.count());
    std::vector<std::uint32_t> stack{v};
    std::uint64_t bytes = 0;
    while (!stack.empty()) {
      const std::uint32_t at = stack.back();
      stack.pop_back();
      if (reached[at]) continue;
      reached[at] = true;
      bytes += graph.shallow_bytes[at];
      for (const std::uint32_t to : graph.row(at)) stack.push_back(to);
    }
    sizes.push_back(bytes);
  }
  return sizes;
}

Sizes by_all_points(const NaiveGraph& c) {
  return lab::dynamic_sizes_by_points(c, lab::all_points(lab::articulation_points(c)),
                                      lab::all_nodes(c))
      .bytes;
}
Sizes by_distant_points(const NaiveGraph& c, lab::DistantFrom from = lab::DistantFrom::kAnyNode) {
  return lab::dynamic_sizes_by_distant_points(c, lab::articulation_points(c), from,
                                              lab::all_nodes(c))
      .bytes;
}
Sizes by_one_block(const NaiveGraph& c, lab::Parents parents) {
  const auto points = lab::points_above_one_block(c, lab::articulation_points(c), parents);
  return lab::dynamic_sizes_by_points(c, points, lab::all_nodes(c)).bytes;
}
Sizes by_dominating_points(const NaiveGraph& c,
                           lab::SuperRootNumber super_root = lab::SuperRootNumber::kHighest) {
  const auto roots = lab::find_roots_and_leaves(c).roots;
  const auto idom = lab::dominators_of(c, roots, lab::LinkEval::kSimple);
  return lab::dynamic_sizes_by_points(c, lab::dominating_points(c, idom, super_root),
                                      lab::all_nodes(c))
      .bytes;
}

// All that are right, on the heap's graph and on that of its components.
bool right(const Snapshot& s) {
  const lab::ThesisGraphs g = lab::thesis_graphs(s);
  const NaiveGraph& c = g.components;
  const Sizes expected = plain_sizes(g.nodes);
  const Sizes of_components = lab::simple_dynamic_sizes(c, lab::all_nodes(c)).bytes;
  return lab::simple_dynamic_sizes(g.nodes, lab::all_nodes(g.nodes)).bytes == expected &&
         lab::sizes_of_nodes(of_components, g.found.component) == expected &&
         lab::bfs_dynamic_sizes(c, kEnough).bytes == of_components &&
         by_dominating_points(c) == of_components &&
         by_one_block(c, lab::Parents::kInOtherBlocks) == of_components;
}

// Every acyclic graph: under some numbering all references go to lower numbers. Node v has 2^v bytes, so a size tells its members.
void for_all_acyclic(std::uint32_t nodes, const std::function<void(const NaiveGraph&)>& visit) {
  const std::uint32_t pairs = nodes * (nodes - 1) / 2;
  for (std::uint32_t bits = 0; bits < 1u << pairs; ++bits) {
    std::vector<std::uint32_t> first_ref{0}, target;
    Sizes bytes;
    std::uint32_t pair = 0;
    for (std::uint32_t v = 0; v < nodes; ++v) {
      for (std::uint32_t w = 0; w < v; ++w, ++pair)
        if ((bits >> pair & 1u) != 0) target.push_back(w);
      first_ref.push_back(static_cast<std::uint32_t>(target.size()));
      bytes.push_back(std::uint64_t{1} << v);
    }
    visit(lab::graph_of_rows(first_ref, target, bytes));
  }
}

std::uint32_t wrong_graphs(std::uint32_t nodes,
                           const std::function<Sizes(const NaiveGraph&)>& sizes) {
  std::uint32_t wrong = 0;
  for_all_acyclic(nodes, [&](const NaiveGraph& c) { wrong += sizes(c) == plain_sizes(c) ? 0 : 1; });
  return wrong;
}

NaiveGraph acyclic(std::uint32_t nodes, const std::vector<lab::LabEdge>& edges) {
  LabGraph graph = lab::graph_of(nodes, edges, {});
  return lab::node_graph(graph.snapshot());
}

}  // namespace

TEST_CASE("dynamic sizes: named shapes, every graph of at most 4 objects, random ones") {
  for (lab::NamedGraph& shape : lab::named_shapes()) {
    INFO(shape.name);
    CHECK(right(shape.graph.snapshot()));
  }
  std::uint32_t wrong = 0;
  for (std::uint32_t objects = 1; objects <= 4; ++objects) {
    lab::for_all_graphs(objects, [&](LabGraph& graph) {
      if (graph.roots.size() == 1) wrong += right(graph.snapshot()) ? 0 : 1;
    });
  }
  CHECK(wrong == 0);
  for (std::uint64_t seed = 1; seed <= tries(500); ++seed) {
    LabGraph graph = lab::random_graph(seed, false);
    INFO("seed ", seed);
    REQUIRE(right(graph.snapshot()));
  }
}

TEST_CASE(
    "dynamic sizes: the generators' heaps; on those of tables A.5 to A.8 both kinds of points are "
    "right, too") {
  LabGraph made[] = {lab::balanced_tree(150), lab::unbalanced_tree(150), lab::dag1(150),
                     lab::dag2(150), lab::dense_dag(100, 20)};
  for (LabGraph& graph : made) {
    CHECK(right(graph.snapshot()));
    const NaiveGraph c = lab::thesis_graphs(graph.snapshot()).components;
    CHECK(by_distant_points(c) == plain_sizes(c));
    CHECK(by_one_block(c, lab::Parents::kAnywhere) == plain_sizes(c));
  }
  LabGraph server = lab::server_like(lab::scaled(lab::table_5_2_rows()[0], 400), 3);
  CHECK(right(server.snapshot()));
}

TEST_CASE("dynamic sizes: every acyclic graph of at most 5 nodes") {
  for (std::uint32_t nodes = 1; nodes <= 5; ++nodes) {
    CHECK(wrong_graphs(nodes, [](const NaiveGraph& c) { return by_dominating_points(c); }) == 0);
    CHECK(wrong_graphs(nodes, [](const NaiveGraph& c) {
            return by_one_block(c, lab::Parents::kInOtherBlocks);
          }) == 0);
  }
}

TEST_CASE("dynamic sizes: the defect of figure 4.11, node 4 counted twice") {
  // 1 refers to 2 and to 4, 2 to 3 and to 4; the figure's nodes are one higher than ours, and lower numbers are referred to here.
  const std::uint32_t one = 3, two = 2, three = 1, four = 0;
  const NaiveGraph c = acyclic(4, {{one, two}, {one, four}, {two, three}, {two, four}});
  const auto points = lab::articulation_points(c);
  CHECK(points.is_point(two));
  CHECK(!points.is_point(four));
  const Sizes expected = plain_sizes(c);
  const Sizes defective = by_all_points(c);
  CHECK(defective[one] == expected[one] + c.shallow_bytes[four]);
  CHECK(defective[two] == expected[two]);
  CHECK(by_distant_points(c) == expected);
  CHECK(by_one_block(c, lab::Parents::kAnywhere) == expected);
  CHECK(by_dominating_points(c) == expected);
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes) CHECK(wrong_graphs(nodes, by_all_points) == 0);
  CHECK(wrong_graphs(4, by_all_points) > 0);
}

TEST_CASE(
    "dynamic sizes: points in other blocks than the source still count twice, from five nodes on") {
  // 4 -> 3 alone; 3 -> 2, 3 -> 1 and 2 -> 1 are a block; 2 -> 0 makes 2 a point. From 4, 2 is distant, but 1 is found beside it.
  const NaiveGraph c = acyclic(5, {{4, 3}, {3, 2}, {3, 1}, {2, 1}, {2, 0}});
  for (const auto from : {lab::DistantFrom::kAnyNode, lab::DistantFrom::kNoPoint}) {
    const auto distant = [&](const NaiveGraph& graph) { return by_distant_points(graph, from); };
    CHECK(distant(c)[4] == plain_sizes(c)[4] + c.shallow_bytes[1]);
    for (std::uint32_t nodes = 1; nodes <= 4; ++nodes) CHECK(wrong_graphs(nodes, distant) == 0);
    CHECK(wrong_graphs(5, distant) > 0);
  }
}

TEST_CASE(
    "dynamic sizes: points with all children in one block still count twice, from four nodes on") {
  // 3 -> 1, 3 -> 0 and 1 -> 0 are a block with the only child of 1; 2 -> 1 makes 1 a point.
  const NaiveGraph c = acyclic(4, {{3, 1}, {3, 0}, {1, 0}, {2, 1}});
  const auto one_block = [](const NaiveGraph& graph) {
    return by_one_block(graph, lab::Parents::kAnywhere);
  };
  CHECK(one_block(c)[3] == plain_sizes(c)[3] + c.shallow_bytes[0]);
  for (std::uint32_t nodes = 1; nodes <= 3; ++nodes) CHECK(wrong_graphs(nodes, one_block) == 0);
  CHECK(wrong_graphs(4, one_block) > 0);
}

TEST_CASE(
    "dynamic sizes: with the super root numbered lowest, listing 4.4 counts twice, from five nodes "
    "on") {
  const auto lowest = [](const NaiveGraph& graph) {
    return by_dominating_points(graph, lab::SuperRootNumber::kLowest);
  };
  // Two roots, 4 and 2, share 0; 4 -> 3 -> 1. Then 3, which refers to 0 as well as 4 does, passes for a dominating point.
  const NaiveGraph c = acyclic(5, {{4, 3}, {4, 0}, {3, 0}, {3, 1}, {2, 0}});
  CHECK(lowest(c)[4] == plain_sizes(c)[4] + c.shallow_bytes[0]);
  for (std::uint32_t nodes = 1; nodes <= 4; ++nodes) CHECK(wrong_graphs(nodes, lowest) == 0);
  CHECK(wrong_graphs(5, lowest) > 0);
}

TEST_CASE("dynamic sizes: a sample with known sizes of the points, and how often they are used") {
  LabGraph graph = lab::unbalanced_tree(1'000);
  const lab::ThesisGraphs g = lab::thesis_graphs(graph.snapshot());
  const auto points = lab::dominating_points(g.components, g.component_idom);
  const auto all = lab::dynamic_sizes_by_points(g.components, points, lab::all_nodes(g.components));
  // Every entry but the last has the next one's size.
  CHECK(all.used == 499);
  CHECK(all.visited == 501 + 500 * 2 + 499);
  // A dominating point's size is what it retains among the components: so a sample needs no other pass.
  const auto known = lab::gc_sizes(g.components, g.component_idom);
  const std::vector<std::uint32_t> sample{g.found.component[1], g.found.component[999]};
  const auto some = lab::dynamic_sizes_by_points(g.components, points, sample, known);
  CHECK(some.bytes == Sizes{16'000, 32});
  CHECK(some.used == 1);
  CHECK_THROWS(lab::dynamic_sizes_by_points(g.components, points, sample));
}

TEST_CASE("dynamic sizes: distant points help on a list only when points ask for them, too") {
  LabGraph graph = lab::unbalanced_tree(200);
  const NaiveGraph c = lab::thesis_graphs(graph.snapshot()).components;
  const auto points = lab::articulation_points(c);
  const auto all = lab::all_nodes(c);
  const auto any = lab::dynamic_sizes_by_distant_points(c, points, lab::DistantFrom::kAnyNode, all);
  const auto none =
      lab::dynamic_sizes_by_distant_points(c, points, lab::DistantFrom::kNoPoint, all);
  CHECK(any.used == 98);  // of the entry behind the next one
  CHECK(none.used == 0);
  CHECK(none.visited == lab::simple_dynamic_sizes(c, all).visited);
  CHECK(any.bytes == none.bytes);
}

TEST_CASE("dynamic sizes: the breadth-first pass gives up at its limit") {
  LabGraph graph = lab::dag1(600);
  const NaiveGraph c = lab::thesis_graphs(graph.snapshot()).components;
  const auto whole = lab::bfs_dynamic_sizes(c, kEnough);
  CHECK(!whole.out_of_memory);
  CHECK(whole.bytes == lab::simple_dynamic_sizes(c, lab::all_nodes(c)).bytes);
  const auto cut = lab::bfs_dynamic_sizes(c, whole.peak_bytes / 2);
  CHECK(cut.out_of_memory);
  CHECK(cut.bytes.empty());
  CHECK(!lab::bfs_dynamic_sizes(c, whole.peak_bytes).out_of_memory);
}
