// The statistics of a heap as [Thesis] lists them in tables 5.1, 5.2, A.2 and A.4, for any heap, in near-linear time.
// Why: they say what kind of graph a heap is, and so which analyses tell something about it: a tree with as many dominating points as
//      inner nodes, or a network in which a quarter of all objects reach almost everything.
// What counts: every object of the snapshot, whether the GC roots reach it or not, and every stored reference, whatever its strength;
//      those implied from an object to its class object do not, for [Thesis]'s dumps have none. The GC roots are not looked at.
//   nodes         objects of the snapshot, class objects included: nodes == classes + objects, where classes are the class objects (0
//                 where a VM has none)
//   references    as stored, those of an object to itself and several to one other included
//   roots         nodes without referrers, and of each cycle that nothing else reaches the lowest node
//   leaves        nodes without references
//   components    strong components, the nodes of the component graph; its references count once and join two. cyclic: those of two
//                 nodes and more, with their largest and average number of nodes
//   articulation points, dominating points: of the component graph; without a virtual root, and with one, above its roots
//   width         children (references) of a node that has any, the virtual root included: on average and at most
//   height        of a dominator tree the nodes on the way from the virtual root, which does not count, of the component graph those on the
//                 longest way: on average over all nodes and at most
//   [Thesis] does not define width and height; on its own numbers these fit best (lab/thesis/thesis_statistics.h). How often its
//   algorithms used a point belongs to them, not to the heap: lab/thesis/dynamic_sizes.h counts it.
// Shape:  the more of 44 B an object + 4 a reference (the component graph with what is found about it) and what compute_dominators takes + 1 B
//         an object + 24 a root; nothing is left in the arena. O(m log n).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled, kTooMany.
// Source: [Thesis], chapter 5 and appendix A.
#pragma once

#include "analysis/dominators.h"

namespace holdfast::analysis {

// Peak memory at most, but for the spill of a dense graph (dominators.h).
constexpr std::uint64_t heap_statistics_bytes(std::uint64_t objects, std::uint64_t references,
                                              std::uint64_t roots) noexcept {
  return std::max(44 * (objects + 2) + objects / 4 + 4 * references,
                  dominators_bytes(objects, references) + objects + 24 * roots);
}

struct AverageAndMost {
  double average = 0;
  std::uint32_t most = 0;
};

struct HeapStatistics {
  std::uint32_t nodes = 0, classes = 0, objects = 0;
  std::uint64_t references = 0;
  std::uint32_t roots = 0, leaves = 0;
  std::uint32_t components = 0, cyclic = 0, largest = 0, component_roots = 0, component_leaves = 0;
  std::uint64_t component_references = 0;
  double average_cyclic = 0;  // nodes of a cyclic component
  std::uint32_t articulation_points = 0, dominating_points = 0;
  AverageAndMost tree_width, tree_height;                      // dominator tree of nodes
  AverageAndMost component_tree_width, component_tree_height;  // of components
  AverageAndMost component_width, component_height;            // component graph
};

Result<HeapStatistics> heap_statistics(const CountedReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
