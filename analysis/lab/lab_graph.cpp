#include "analysis/lab/lab_graph.h"

#include <numeric>

#include "analysis/lab/random.h"

namespace holdfast::analysis::lab {

Snapshot LabGraph::snapshot() {
  Snapshot s;
  s.shallow_unit_bytes = shallow_unit_bytes;
  s.catalog = catalog;
  s.catalog.classes = classes;
  s.class_of = class_of;
  s.shallow_units = shallow_units;
  s.first_ref = first_ref;
  s.target = target;
  s.label = label;
  s.roots = roots;
  return s;
}

void LabGraph::add_root(std::uint32_t object, RootKind kind) {
  RootRecord root;
  root.object = ObjectId{object};
  root.kind = kind;
  roots.push_back(root);
}

void set_edges(LabGraph& graph, const std::vector<LabEdge>& edges) {
  graph.first_ref.assign(graph.object_count() + 1, 0);
  for (const LabEdge& e : edges) ++graph.first_ref[e.from + 1];
  std::partial_sum(graph.first_ref.begin(), graph.first_ref.end(), graph.first_ref.begin());
  graph.target.assign(edges.size(), ObjectId{});
  graph.label.assign(edges.size(), RefLabel{});
  std::vector<std::uint32_t> next(graph.first_ref.begin(), graph.first_ref.end() - 1);
  for (const LabEdge& e : edges) {
    const std::uint32_t at = next[e.from]++;
    graph.target[at] = ObjectId{e.to};
    graph.label[at] = e.label;
  }
}

LabGraph graph_of(std::uint32_t objects, const std::vector<LabEdge>& edges,
                  const std::vector<std::uint32_t>& roots) {
  LabGraph graph;
  graph.classes.resize(1);
  graph.class_of.assign(objects, ClassId{0});
  for (std::uint32_t v = 0; v < objects; ++v) graph.shallow_units.push_back(v + 1);
  set_edges(graph, edges);
  for (const std::uint32_t r : roots) graph.add_root(r);
  return graph;
}

LabGraph graph_of(const Snapshot& snapshot) {
  const auto copied = [](const auto& from, auto& to) { to.assign(from.begin(), from.end()); };
  LabGraph graph;
  copied(snapshot.catalog.classes, graph.classes);
  copied(snapshot.class_of, graph.class_of);
  copied(snapshot.shallow_units, graph.shallow_units);
  copied(snapshot.first_ref, graph.first_ref);
  copied(snapshot.target, graph.target);
  copied(snapshot.label, graph.label);
  copied(snapshot.roots, graph.roots);
  graph.catalog = snapshot.catalog;
  graph.shallow_unit_bytes = snapshot.shallow_unit_bytes;
  return graph;
}

LabGraph renumbered(const LabGraph& graph, const std::vector<std::uint32_t>& new_id) {
  const std::uint32_t n = graph.object_count();
  std::vector<std::uint32_t> old_id(n);
  for (std::uint32_t v = 0; v < n; ++v) old_id[new_id[v]] = v;
  LabGraph made;
  made.classes = graph.classes;
  for (ClassRow& row : made.classes)
    if (row.mirror.valid()) row.mirror = ObjectId{new_id[row.mirror.value]};
  made.roots = graph.roots;
  for (RootRecord& root : made.roots) root.object = ObjectId{new_id[root.object.value]};
  made.target.reserve(graph.target.size());
  made.label.reserve(graph.label.size());
  for (std::uint32_t v = 0; v < n; ++v) {
    const std::uint32_t old = old_id[v];
    made.class_of.push_back(graph.class_of[old]);
    made.shallow_units.push_back(graph.shallow_units[old]);
    for (std::uint32_t i = graph.first_ref[old]; i < graph.first_ref[old + 1]; ++i) {
      made.target.push_back(ObjectId{new_id[graph.target[i].value]});
      made.label.push_back(graph.label[i]);
    }
    made.first_ref.push_back(static_cast<std::uint32_t>(made.target.size()));
  }
  return made;
}

std::vector<std::uint32_t> capture_order(const LabGraph& graph) {
  constexpr std::uint32_t kNone = ObjectId::kNoneValue;
  std::vector<std::uint32_t> new_id(graph.object_count(), kNone);
  std::vector<std::uint32_t> stack;
  for (const RootRecord& root : graph.roots) stack.push_back(root.object.value);
  std::uint32_t next = 0;
  while (!stack.empty()) {
    const std::uint32_t v = stack.back();
    stack.pop_back();
    if (new_id[v] != kNone) continue;
    new_id[v] = next++;
    for (std::uint32_t i = graph.first_ref[v]; i < graph.first_ref[v + 1]; ++i)
      if (new_id[graph.target[i].value] == kNone) stack.push_back(graph.target[i].value);
  }
  for (std::uint32_t& id : new_id)
    if (id == kNone) id = next++;
  return new_id;
}

std::vector<std::uint32_t> shuffled_order(std::uint32_t objects, std::uint64_t seed) {
  std::vector<std::uint32_t> new_id(objects);
  std::iota(new_id.begin(), new_id.end(), 0u);
  Random random(seed);
  for (std::uint32_t v = objects; v > 1; --v) std::swap(new_id[v - 1], new_id[random.below(v)]);
  return new_id;
}

}  // namespace holdfast::analysis::lab
