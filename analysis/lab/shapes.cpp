#include "analysis/lab/shapes.h"

#include <algorithm>

#include "analysis/lab/random.h"
#include "common/tries_for_test.h"

namespace holdfast::analysis::lab {

LabGraph chain(std::uint32_t objects) {
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 0; v + 1 < objects; ++v) edges.push_back({v, v + 1});
  return graph_of(objects, edges, {0});
}

LabGraph star(std::uint32_t objects) {
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 1; v < objects; ++v) edges.push_back({0, v});
  return graph_of(objects, edges, {0});
}

// Objects 0 .. k-1 are a spine; rung objects k + i hang below its end and refer back to the spine's object i, and to i + 1's
// neighbour, so that semidominators lie deep and immediate dominators at the top.
LabGraph ladder(std::uint32_t objects) {
  const std::uint32_t k = objects / 2;
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 0; v + 1 < k; ++v) edges.push_back({v, v + 1});
  for (std::uint32_t i = 0; i < k; ++i) {
    edges.push_back({k - 1, k + i});
    edges.push_back({k + i, i});
    if (i > 0) edges.push_back({i, k + i});
  }
  return graph_of(2 * k, edges, {0});
}

LabGraph complete(std::uint32_t objects) {
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 0; v < objects; ++v) {
    for (std::uint32_t w = 0; w < objects; ++w) edges.push_back({v, w});
  }
  return graph_of(objects, edges, {0});
}

LabGraph binary_tree_with_backs(std::uint32_t objects) {
  std::vector<LabEdge> edges;
  for (std::uint32_t v = 1; v < objects; ++v) edges.push_back({(v - 1) / 2, v});
  for (std::uint32_t v = 3; v < objects; ++v) edges.push_back({v, v / 3});
  for (std::uint32_t v = 5; v + 1 < objects; v += 7) edges.push_back({v, v + 1});
  return graph_of(objects, edges, {0});
}

LabGraph reversed_children(const LabGraph& graph) {
  LabGraph made = graph;
  for (std::uint32_t v = 0; v < graph.object_count(); ++v) {
    std::reverse(made.target.begin() + graph.first_ref[v],
                 made.target.begin() + graph.first_ref[v + 1]);
    std::reverse(made.label.begin() + graph.first_ref[v],
                 made.label.begin() + graph.first_ref[v + 1]);
  }
  return made;
}

std::vector<NamedGraph> named_shapes() {
  std::vector<NamedGraph> shapes;
  const auto add = [&](const char* name, LabGraph graph) {
    shapes.push_back({name, std::move(graph)});
  };
  add("no objects", graph_of(0, {}, {}));
  add("no roots", graph_of(3, {{0, 1}, {1, 2}, {2, 0}}, {}));
  add("one root", graph_of(1, {}, {0}));
  add("one root twice", graph_of(2, {{0, 1}}, {0, 0}));
  add("self references", graph_of(2, {{0, 0}, {0, 1}, {1, 1}}, {0}));
  add("parallel references", graph_of(3, {{0, 1}, {0, 1}, {1, 2}, {0, 2}, {0, 2}}, {0}));
  add("diamond", graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, {0}));
  add("two roots share", graph_of(3, {{0, 2}, {1, 2}}, {0, 1}));
  add("root below a root", graph_of(3, {{0, 1}, {1, 2}}, {0, 1}));
  add("unreachable refers in", graph_of(4, {{0, 1}, {2, 1}, {3, 2}, {2, 3}}, {0}));
  add("irreducible", graph_of(3, {{0, 1}, {0, 2}, {1, 2}, {2, 1}}, {0}));
  add("from Lengauer and Tarjan",
      graph_of(13, {{0, 1}, {0, 2},  {0, 3},  {1, 4},  {2, 1},  {2, 4},  {2, 5},
                    {3, 6}, {3, 7},  {4, 12}, {5, 8},  {6, 9},  {7, 9},  {7, 10},
                    {8, 5}, {8, 11}, {9, 11}, {10, 9}, {11, 9}, {11, 0}, {12, 8}},
               {0}));
  add("chain", chain(40));
  add("star", star(40));
  add("ladder", ladder(40));
  add("ladder, rows reversed", reversed_children(ladder(40)));
  add("complete", complete(24));
  add("tree with back references", binary_tree_with_backs(60));
  LabGraph large = chain(3);
  std::fill(large.shallow_units.begin(), large.shallow_units.end(), 0xFFFFFFFFu);
  add("more than 4 GB", std::move(large));
  LabGraph no_classes = chain(3);
  no_classes.class_of[1] = ClassId{};
  add("unknown class", std::move(no_classes));
  return shapes;
}

namespace {

constexpr std::uint32_t kStepThroughLargest =
    11;  // odd and prime: every bit is seen both ways, beside every other

}  // namespace

void for_all_graphs(std::uint32_t objects, const std::function<void(LabGraph&)>& visit) {
  std::vector<LabEdge> possible;
  for (std::uint32_t v = 0; v < objects; ++v) {
    for (std::uint32_t w = 0; w < objects; ++w)
      if (v != w) possible.push_back({v, w});
  }
  const std::uint32_t step = objects < 4 || all_tries() ? 1 : kStepThroughLargest;
  for (std::uint32_t bits = 0; bits < (1u << possible.size()); bits += step) {
    std::vector<LabEdge> edges;
    for (std::size_t i = 0; i < possible.size(); ++i)
      if ((bits >> i & 1u) != 0) edges.push_back(possible[i]);
    LabGraph graph = graph_of(objects, edges, {});
    for (std::uint32_t root = 0; root < objects; ++root) {
      graph.add_root(root);
      visit(graph);
    }
  }
}

LabGraph random_graph(const RandomShape& shape, std::uint64_t seed) {
  static constexpr SpecialRef kWeakKinds[] = {SpecialRef::kReferentSoft, SpecialRef::kReferentWeak,
                                              SpecialRef::kReferentFinal,
                                              SpecialRef::kReferentPhantom};
  Random random(seed);
  std::vector<LabEdge> edges;
  for (std::uint32_t i = 0; i < shape.references; ++i) {
    LabEdge e{random.below(shape.objects), random.below(shape.objects), RefLabel::element(i)};
    if (random.chance(shape.weak_percent)) e.label = special(kWeakKinds[random.below(4)]);
    edges.push_back(e);
  }
  LabGraph graph = graph_of(shape.objects, edges, {});
  graph.classes.resize(shape.classes);
  for (ClassRow& row : graph.classes)
    if (random.chance(60)) row.mirror = ObjectId{random.below(shape.objects)};
  for (ClassId& c : graph.class_of)
    c = random.chance(3) ? ClassId{} : ClassId{random.below(shape.classes)};
  for (std::uint32_t& units : graph.shallow_units) units = 1 + random.below(100);
  for (std::uint32_t i = 0; i < shape.roots; ++i)
    graph.add_root(random.below(shape.objects),
                   static_cast<RootKind>(random.below(kRootKindCount)));
  return graph;
}

LabGraph random_graph(std::uint64_t seed, bool with_strengths) {
  Random random(seed * 77 + 5);
  RandomShape shape;
  shape.objects = 1 + random.below(80);
  shape.references = random.below(std::uint64_t{shape.objects} * (1 + random.below(4)) + 1);
  shape.roots = random.below(4) + (random.chance(90) ? 1 : 0);
  shape.classes = 1 + random.below(6);
  shape.weak_percent = with_strengths ? 25 : 0;
  return random_graph(shape, seed);
}

}  // namespace holdfast::analysis::lab
