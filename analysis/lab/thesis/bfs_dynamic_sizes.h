// BFSDynamicSize: all reachable sizes in one pass from the leaves up, with a set of component ids for every node of the wave.
// Why: each node is visited once, and [Thesis]'s fastest on small heaps; the sets are what ends it on large ones (its figure 4.9).
// Shape:  as listing 4.3, with its queue, its hash map of node data, its counts of referents. Time and memory are the sum of the sizes of the
//         sets. What a set holds is charged with kBytesOfId an id; above the limit the pass gives up, as in table A.1.
// Zone:   offline.   Errors: out_of_memory, then the sizes are empty.
// Source: [Thesis], section 4.5, listing 4.3, C.18.
#pragma once

#include "analysis/lab/thesis/naive_graph.h"

namespace holdfast::analysis::lab {

struct BfsDynamicSizes {
  static constexpr std::uint64_t kBytesOfId =
      40;  // a node of a hash set and its share of the table

  std::vector<std::uint64_t> bytes;  // by component
  std::uint64_t peak_bytes = 0;      // of all sets that are held at once
  bool out_of_memory = false;
};

BfsDynamicSizes bfs_dynamic_sizes(const NaiveGraph& components, std::uint64_t limit_bytes);

}  // namespace holdfast::analysis::lab
