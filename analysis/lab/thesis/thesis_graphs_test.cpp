#include "analysis/lab/thesis/thesis_graphs.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/lab/thesis/dynamic_sizes.h"
#include "analysis/lab/thesis/thesis_statistics.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

constexpr std::uint64_t kObject = 16;

std::vector<std::uint64_t> sizes(const lab::ThesisGraphs& g) {
  return lab::simple_dynamic_sizes(g.nodes, lab::all_nodes(g.nodes)).bytes;
}

}  // namespace

TEST_CASE("thesis graphs: nodes, references, roots, all without cycles") {
  struct Made {
    LabGraph graph;
    std::uint32_t references, leaves;
  };
  for (std::uint32_t n = lab::kThesisSmallest; n <= lab::kThesisLargest;
       n += 3 * lab::kThesisStep) {
    Made made[] = {{lab::balanced_tree(n), n - 1, n / 2 + 1},
                   {lab::unbalanced_tree(n), n - 1, n / 2 + 1},
                   {lab::dag1(n), 2 * n - 3, 2},
                   {lab::dag2(n), 2 * n - 4, 2}};
    for (Made& m : made) {
      INFO(n);
      const Snapshot s = m.graph.snapshot();
      const lab::ThesisStatistics found = lab::thesis_statistics(lab::thesis_graphs(s));
      CHECK(found.nodes == n + 1);
      CHECK(found.references == m.references);
      CHECK(found.leaves == m.leaves);
      CHECK(found.roots == 2);
      CHECK(s.roots[0].object == ObjectId{0});
      CHECK(s.roots[1].object == ObjectId{1});
      CHECK(found.cyclic == 0);
    }
  }
}

TEST_CASE("thesis graphs: sizes can be told from the id") {
  const std::uint32_t n = 1'000;
  LabGraph list = lab::unbalanced_tree(n), first = lab::dag1(n), second = lab::dag2(n);
  const auto of_list = sizes(lab::thesis_graphs(list.snapshot()));
  const auto of_first = sizes(lab::thesis_graphs(first.snapshot()));
  const auto of_second = sizes(lab::thesis_graphs(second.snapshot()));
  for (std::uint32_t i = 1; i <= n; ++i) {
    const std::uint64_t rest = n - i + 1;
    CHECK(of_list[i] == kObject * (i % 2 == 0 ? 1 : rest));
    CHECK(of_first[i] == kObject * rest);
    const std::uint32_t layers_from = std::min(n, i / 2 * 2 + 1);  // below its own layer
    CHECK(of_second[i] == kObject * (1 + n - layers_from));
  }
}

TEST_CASE("thesis graphs: points are where the thesis says") {
  const std::uint32_t n = 1'000;
  LabGraph made[] = {lab::balanced_tree(n), lab::unbalanced_tree(n), lab::dag1(n), lab::dag2(n)};
  lab::ThesisStatistics found[4];
  for (int i = 0; i < 4; ++i)
    found[i] = lab::thesis_statistics(lab::thesis_graphs(made[i].snapshot()));
  CHECK(found[0].articulation_points == 500);  // every inner one; the root has two children
  CHECK(found[0].dominating_points == 500);
  CHECK(found[1].articulation_points == 500);  // every entry
  CHECK(found[1].dominating_points == 500);
  for (int i = 2; i < 4; ++i) {
    CHECK(found[i].articulation_points == 0);
    CHECK(found[i].dominating_points == 1);  // object 1, which the super root alone refers to
  }
}

TEST_CASE("thesis graphs: dense ones have all the references that fit") {
  LabGraph some = lab::dense_dag(1'000, 100), all = lab::dense_dag(100, 1'000);
  CHECK(some.target.size() == 900 * 100 + 99 * 100 / 2);
  CHECK(all.target.size() == 100 * 99 / 2);
  LabGraph none = lab::dag1(0);
  CHECK(none.object_count() == 1);
}
