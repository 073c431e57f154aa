#include "analysis/statistics/heap_statistics.h"

#include <algorithm>

#include "analysis/cuts/biconnected.h"
#include "analysis/cuts/dominating_points.h"
#include "analysis/object_sets.h"
#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kNone = ObjectId::kNoneValue;
constexpr StrengthSet kEveryStrength = (1u << kStrengthCount) - 1;
static_assert(DagDominators::kRoot == Dominators::kRoot);

// Of numbers that are met one by one.
class Measure {
 public:
  void add(std::uint32_t number) noexcept {
    sum_ += number;
    ++count_;
    most_ = std::max(most_, number);
  }
  void add_width(std::uint32_t number) noexcept {
    if (number != 0) add(number);
  }
  AverageAndMost result() const noexcept {
    return {count_ == 0 ? 0 : static_cast<double>(sum_) / static_cast<double>(count_), most_};
  }

 private:
  std::uint64_t sum_ = 0, count_ = 0;
  std::uint32_t most_ = 0;
};

struct TreeMeasures {
  AverageAndMost width, height;
};

// node_at(i), i < count: all nodes of the tree, dominators first.
template <class NodeAt>
Result<TreeMeasures> measure_tree(std::span<const std::uint32_t> idom, std::uint32_t count,
                                  NodeAt node_at, Arena& arena,
                                  const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(height, arena.make<std::uint32_t>(idom.size()));
  HF_TRY(children, arena.make_filled<std::uint32_t>(idom.size(), 0));
  Measure widths, heights;
  std::uint32_t of_root = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    const std::uint32_t v = node_at(i);
    const bool below_root = idom[v] == Dominators::kRoot;
    ++(below_root ? of_root : children[idom[v]]);
    height[v] = below_root ? 1 : height[idom[v]] + 1;
    heights.add(height[v]);
  }
  widths.add_width(of_root);
  for (const std::uint32_t width : children) widths.add_width(width);
  return TreeMeasures{widths.result(), heights.result()};
}

Result<void> measure_graph(const Condensation& c, HeapStatistics& found, Arena& arena,
                           const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(height, arena.make_filled<std::uint32_t>(c.count(), 1));
  Measure widths, heights;
  widths.add_width(c.sources);
  for (std::uint32_t v = c.count(); v-- > 0;) {  // referrers have higher numbers
    if (v % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    for (const std::uint32_t to : c.row(v)) height[to] = std::max(height[to], height[v] + 1);
    widths.add_width(static_cast<std::uint32_t>(c.row(v).size()));
    heights.add(height[v]);
  }
  found.component_width = widths.result();
  found.component_height = heights.result();
  return {};
}

// The lowest object of every node of the condensation that nothing refers to.
Result<void> mark_roots(const Condensation& c, ObjectSet& roots, const Snapshot& snapshot,
                        Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(done, arena.make_filled<std::uint64_t>(std::size_t{c.count()} / 64 + 1, 0));
  for (const std::uint32_t to : c.target) done[to >> 6] |= std::uint64_t{1} << (to & 63);
  for (std::uint32_t v = 0; v < snapshot.object_count(); ++v) {
    if (v % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    const std::uint32_t node = c.components.component[v];
    const std::uint64_t bit = std::uint64_t{1} << (node & 63);
    if ((done[node >> 6] & bit) != 0) continue;
    done[node >> 6] |= bit;
    roots.insert(snapshot, v);
  }
  return {};
}

Result<void> measure_components(const CountedReferences& references, HeapStatistics& found,
                                ObjectSet& roots, Arena& arena,
                                const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(c, condense(references, {kEveryStrength, false}, arena, cancel));
  const StrongComponents& components = c.components;
  found.components = components.count;
  found.cyclic = components.cyclic;
  if (components.cyclic != 0)
    found.average_cyclic =
        static_cast<double>(components.cyclic_objects) / static_cast<double>(components.cyclic);
  if (components.largest != kNone) found.largest = components.objects[components.largest];
  found.component_references = c.target.size();
  found.component_roots = c.sources;
  found.component_leaves = c.sinks;
  HF_CHECK_OK(mark_roots(c, roots, references.snapshot(), arena, cancel));
  HF_CHECK_OK(measure_graph(c, found, arena, cancel));
  HF_TRY(dominators, dag_dominators(c, arena, cancel));
  HF_TRY(tree, measure_tree(
                   dominators.idom, c.count(), [&](std::uint32_t i) { return c.count() - 1 - i; },
                   arena, cancel));
  found.component_tree_width = tree.width;
  found.component_tree_height = tree.height;
  HF_TRY(dominating, dominating_points(c, dominators, arena, cancel));
  found.dominating_points = dominating.count;
  HF_TRY(biconnected, biconnected_components(c, arena, cancel));
  found.articulation_points = biconnected.articulation_points;
  return {};
}

// The same graph with the roots that were found, and without references from objects to their class objects.
Result<Snapshot> flow_graph(const Snapshot& snapshot, const ObjectSet& roots,
                            Arena& arena) noexcept {
  Snapshot made = snapshot;
  HF_TRY(classes, arena.make<ClassRow>(snapshot.catalog.classes.size()));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    classes[i] = snapshot.catalog.classes[i];
    classes[i].mirror = ObjectId{};
  }
  HF_TRY(records, arena.make_filled<RootRecord>(roots.objects, RootRecord{}));
  std::size_t at = 0;
  roots.for_each([&](std::uint32_t v) { records[at++].object = ObjectId{v}; });
  made.catalog.classes = classes;
  made.roots = records;
  return made;
}

Result<void> measure_nodes(const Snapshot& snapshot, HeapStatistics& found, const ObjectSet& roots,
                           Arena& arena, const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(flow, flow_graph(snapshot, roots, arena));
  HF_TRY(references, CountedReferences::make(flow, arena, cancel));
  HF_TRY(dominators, compute_dominators(references, kEveryStrength, arena, cancel));
  HF_TRY(tree, measure_tree(
                   dominators.idom, dominators.held_objects,
                   [&](std::uint32_t i) { return dominators.order[i]; }, arena, cancel));
  found.tree_width = tree.width;
  found.tree_height = tree.height;
  return {};
}

Result<void> count_nodes(const Snapshot& snapshot, HeapStatistics& found, Arena& arena,
                         const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(class_objects, ObjectSet::make(snapshot, arena));
  for (const ClassRow& row : snapshot.catalog.classes)
    if (row.mirror.valid()) class_objects.insert(snapshot, row.mirror.value);
  found.nodes = snapshot.object_count();
  found.classes = static_cast<std::uint32_t>(class_objects.objects);
  found.objects = found.nodes - found.classes;
  found.references = snapshot.reference_count();
  for (std::uint32_t v = 0; v < found.nodes; ++v) {
    if (v % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    found.leaves += snapshot.first_ref[v] == snapshot.first_ref[v + 1] ? 1 : 0;
  }
  return {};
}

}  // namespace

Result<HeapStatistics> heap_statistics(const CountedReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  const Snapshot& snapshot = references.snapshot();
  HeapStatistics found;
  HF_CHECK_OK(count_nodes(snapshot, found, arena, cancel));
  HF_TRY(roots, ObjectSet::make(snapshot, arena));
  HF_CHECK_OK(measure_components(references, found, roots, arena, cancel));
  found.roots = static_cast<std::uint32_t>(roots.objects);
  HF_CHECK_OK(measure_nodes(snapshot, found, roots, arena, cancel));
  return found;
}

}  // namespace holdfast::analysis
