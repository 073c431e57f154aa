// The statistics of a heap as tables 5.1, 5.2, A.2 and A.4 list them, with [Thesis]'s algorithms.
// Why: what the generators promise is measured with it, and a table of ours stands beside [Thesis]'s column by column.
// Shape:  ThesisGraphs: the node graph, its components, their graph, roots and dominators of both; the rest is counted from these.
//         Width of a tree or graph: children (references) of a node that has any, the super root included, on average and at most.
//         Height: for a dominator tree the nodes on the way from the super root, which is not counted; for the component graph on the longest
//         way; on average over all nodes and at most. [Thesis] does not define them; on its own numbers these fit best.
// Zone:   offline.   Errors: none.
// Source: [Thesis], chapter 5 and appendix A.
#pragma once

#include "analysis/lab/thesis/articulation_points.h"
#include "analysis/lab/thesis/naive_graph.h"
#include "analysis/lab/thesis/roots_and_leaves.h"
#include "analysis/lab/thesis/tarjan_components.h"

namespace holdfast::analysis::lab {

// What all of [Thesis]'s algorithms build on.
struct ThesisGraphs {
  NaiveGraph nodes;
  RootsAndLeaves ends;
  TarjanComponents found;
  NaiveGraph components;
  RootsAndLeaves component_ends;
  std::vector<std::uint32_t> idom;            // of nodes
  std::vector<std::uint32_t> component_idom;  // of components
};
ThesisGraphs thesis_graphs(const Snapshot& snapshot);

struct AverageAndMost {
  double average = 0;
  std::uint32_t most = 0;
};

struct ThesisStatistics {
  std::uint32_t nodes = 0, references = 0, roots = 0, leaves = 0;
  std::uint32_t components = 0, cyclic = 0, largest = 0, component_roots = 0, component_leaves = 0;
  double average_cyclic = 0;  // nodes of a component of more than one
  std::uint32_t articulation_points = 0, dominating_points = 0;
  AverageAndMost tree_width, tree_height;                      // dominator tree of nodes
  AverageAndMost component_tree_width, component_tree_height;  // of components
  AverageAndMost component_width, component_height;            // component graph
};
ThesisStatistics thesis_statistics(const ThesisGraphs& graphs);

// How many nodes are how much smaller by retained than by reachable size (table 5.3), limits in bytes, rising: one number more than limits.
std::vector<std::uint32_t> size_differences(const std::vector<std::uint64_t>& reachable,
                                            const std::vector<std::uint64_t>& retained,
                                            const std::vector<std::uint64_t>& limits);

}  // namespace holdfast::analysis::lab
