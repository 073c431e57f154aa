#include "analysis/upper_tree.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "analysis/dominator_tree.h"
#include "analysis/dominators.h"
#include "analysis/lab/delta/property.h"
#include "analysis/lab/shapes.h"
#include "analysis/lab/test_arena.h"
#include "analysis/lab/test_heap.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::LabGraph;

namespace {

struct Made {
  lab::TestArena memory{std::uint64_t{1} << 28};
  Dominators dominators;
  std::span<const TreeNodeResult> tree;

  Made(const Snapshot& s, const TreeLimits& limits) {
    const CancelToken cancel;
    auto references = CountedReferences::make(s, memory.arena(), cancel);
    REQUIRE(references.ok());
    auto d = compute_dominators(*references, kStrongOnly, memory.arena(), cancel);
    REQUIRE(d.ok());
    dominators = *d;
    auto nodes = upper_tree(s, dominators, limits, memory.arena(), cancel);
    REQUIRE(nodes.ok());
    tree = *nodes;
  }
};

// The equations above TreeNodeResult, parents before children, nothing too small, no more than allowed.
bool equations_hold(const Snapshot& s, const Made& made, const TreeLimits& limits) {
  const std::uint64_t smallest =
      std::max<std::uint64_t>(1, made.dominators.held_bytes / limits.share_divisor);
  if (made.tree.size() > limits.max_nodes) return false;
  std::uint64_t top = 0;
  for (std::uint32_t i = 0; i < made.tree.size(); ++i) {
    const TreeNodeResult& node = made.tree[i];
    if (node.retained_bytes < smallest) return false;
    if (node.parent != 0xFFFFFFFFu && node.parent >= i) return false;
    if (node.parent == 0xFFFFFFFFu) top += node.retained_bytes;
    std::uint64_t bytes = node.shallow_bytes + node.rest_retained_bytes;
    std::uint64_t children = node.rest_children;
    for (const TreeNodeResult& child : made.tree) {
      if (child.parent != i) continue;
      bytes += child.retained_bytes;
      children += child.object.valid() ? 1 : child.group_instances;
    }
    if (bytes != node.retained_bytes || children != node.children) return false;
    if (!node.object.valid()) continue;
    if (node.shallow_bytes != s.shallow_bytes(node.object)) return false;
    const std::uint32_t idom = made.dominators.idom[node.object.value];
    if (!(node.parent == 0xFFFFFFFFu ? idom == Dominators::kRoot
                                     : made.tree[node.parent].object.value == idom))
      return false;
  }
  return top <= made.dominators.held_bytes;
}

}  // namespace

TEST_CASE("upper tree: the equations hold on random graphs at any limit") {
  for (std::uint64_t seed = 1; seed <= tries(200); ++seed) {
    const LabGraph graph = lab::random_graph(seed, false);
    const TreeLimits limits{1 + seed % 50, static_cast<std::uint32_t>(1 + seed % 23)};
    const auto right = [&](LabGraph& g) {
      const Snapshot s = g.snapshot();
      return equations_hold(s, Made(s, limits), limits);
    };
    INFO("seed ", seed);
    REQUIRE(lab::counterexample(graph, "upper tree", right) == "");
  }
}

TEST_CASE("upper tree: what is too small alone but large together is one group") {
  lab::TestHeap heap;
  const ClassId session = heap.klass("shop.Session");
  const ObjectId list = heap.object(heap.klass("java.lang.Object[]"), 4096);
  heap.root(list, RootKind::kOther);
  for (std::uint32_t i = 0; i < 500; ++i) heap.element(list, i, heap.object(session, 48));
  heap.element(list, 500, heap.object(heap.klass("shop.Other"), 16));
  const Snapshot s = heap.snapshot();
  const TreeLimits limits{100, 2000};
  const Made made(s, limits);
  CHECK(equations_hold(s, made, limits));
  REQUIRE(made.tree.size() == 2);
  CHECK(made.tree[0].object == list);
  CHECK(made.tree[0].children == 501);
  CHECK(made.tree[0].rest_children == 1);
  CHECK(made.tree[0].rest_retained_bytes == 16);
  CHECK_FALSE(made.tree[1].object.valid());
  CHECK(made.tree[1].group_class == session);
  CHECK(made.tree[1].group_instances == 500);
  CHECK(made.tree[1].retained_bytes == 500 * 48);
}

TEST_CASE("upper tree: a list of a million leaves room for what stands beside it") {
  LabGraph graph = lab::chain(1'000'001);
  graph.shallow_units.assign(graph.object_count(), 1);
  graph.add_root(1'000'000);
  graph.target[999'999] = ObjectId{999'999};  // the last object stands alone
  graph.shallow_units[1'000'000] = 1'000'000;
  const Snapshot s = graph.snapshot();
  const Made made(s, TreeLimits{});
  CHECK(made.tree.size() == 2000);
  CHECK(std::any_of(made.tree.begin(), made.tree.end(),
                    [](const TreeNodeResult& node) { return node.object == ObjectId{1'000'000}; }));
}
