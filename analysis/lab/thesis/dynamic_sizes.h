// The reachable size ("dynamic size") of nodes, each searched for by itself: six of [Thesis]'s algorithms.
// Why: the plain ones are the oracle of everything that finds reachable sizes, the others what [Thesis] measured against them.
// Shape:  breadth first from each source, O(n + m) each; a point whose size may be taken is not searched behind.
//   SimpleObjectsDynamicSize    simple_dynamic_sizes on the heap's graph
//   SimpleCompDynamicSize       the same on the component graph
//   DomArticPointsDynamicSize   dynamic_sizes_by_points with dominating points
//   ArticPointsDynamicSize1     dynamic_sizes_by_distant_points: those points that share no block with the source
//   ArticPointsDynamicSize2     dynamic_sizes_by_points with points_above_one_block
//   the first, defective one    dynamic_sizes_by_points with all articulation points (section 4.6, figure 4.11)
//         Points are of the component graph, whose numbers rise from what is referred to: so their sizes are there before they are asked
//         for, when all nodes are searched in rising order. A sample of sources needs the sizes of all points in `known`.
// What is wrong: all but the first three count some nodes twice, on the graphs that dynamic_sizes_test.cpp shows.
//   1   A point that shares no block with the source may still share one with what is searched on the way to it. [Thesis] asks only
//       about the source's blocks. Five nodes show it, with either DistantFrom.
//       kAnyNode is the method as section 4.6 tells it; of the intersection it says "for this reason it is not used". What was measured
//       seems to be kNoPoint: on the list of table A.6, all of whose entries are points, it is as slow as the plain search (195.24 and
//       195.46 s), and on the heaps of table A.4 it used 2,082 sizes, where the others used 330,000.
//   2   "All children in one block" does not make the parents' block another one, which [Thesis] concludes: a parent may share the
//       children's block when something else hangs on the point. Four nodes show it. With the conclusion as a condition of its own
//       (Parents::kInOtherBlocks) the sizes are right: then no way but through the point leads to its children.
// Zone:   offline.   Errors: std::invalid_argument: a sample without known sizes.
// Source: [Thesis], sections 4.3, 4.4, 4.6 and 4.8, chapter 5, C.17, C.18 (convertSize: sizes_of_nodes).
#pragma once

#include "analysis/lab/thesis/articulation_points.h"

namespace holdfast::analysis::lab {

struct DynamicSizes {
  std::vector<std::uint64_t> bytes;  // by place among the sources
  std::uint64_t visited = 0;         // nodes, over all searches
  std::uint64_t used = 0;  // how often the size of a point was taken ("used" in the tables)
};

std::vector<std::uint32_t> all_nodes(const NaiveGraph& graph);  // 0, 1, ...

DynamicSizes simple_dynamic_sizes(const NaiveGraph& graph,
                                  const std::vector<std::uint32_t>& sources);

// `known` is empty, then the sources must be all_nodes(), or has the sizes of all points (others are not looked at).
DynamicSizes dynamic_sizes_by_points(const NaiveGraph& components, const std::vector<bool>& points,
                                     const std::vector<std::uint32_t>& sources,
                                     const std::vector<std::uint64_t>& known = {});
// For which sources points are taken: for all, by intersecting two sets of blocks; or for those only that are in one block themselves.
enum class DistantFrom { kAnyNode, kNoPoint };
DynamicSizes dynamic_sizes_by_distant_points(const NaiveGraph& components,
                                             const ArticulationPoints& points, DistantFrom from,
                                             const std::vector<std::uint32_t>& sources,
                                             const std::vector<std::uint64_t>& known = {});

enum class Parents { kAnywhere, kInOtherBlocks };
std::vector<bool> points_above_one_block(const NaiveGraph& components,
                                         const ArticulationPoints& points,
                                         Parents parents = Parents::kAnywhere);

}  // namespace holdfast::analysis::lab
