// The shortest paths from the GC roots to all members of a set, merged from the root side and grouped by class at each level:
// "how are my 40,000 sessions held, mostly?"
// Shape:  reachability's parents give each object one shortest path; their union is a forest. A node stands for all objects
//         of one class below one node: node.paths == its own members + sum over child nodes of paths + rest_weight.
//         To leave references out, give the reachability that was found over FilteredReferences.
//         88 B a node; scratch 8 B an object, 20 B an object on a path, 68 B a class, 20 B a node. O(n + p log classes).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: Eclipse MAT's help (merge shortest paths to GC roots).
#pragma once

#include "analysis/group_keys.h"
#include "analysis/group_tree.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct alignas(8) MergedPathSum {
  std::uint64_t objects = 0;        // of this class at this place
  std::uint64_t class_objects = 0;  // of them: those that stand for the class
  std::uint64_t shallow_bytes = 0;
  std::uint64_t members = 0;     // of them
  std::uint64_t paths = 0;       // members that are held through them, they themselves included
  std::uint64_t path_bytes = 0;  // their shallow bytes
  ObjectId example;              // the one with the most paths
  std::uint32_t example_paths = 0;
  std::uint64_t weight() const noexcept { return paths; }
  std::uint64_t own() const noexcept { return members; }
};
using MergedPathNode = GroupNode<MergedPathSum>;
static_assert(sizeof(MergedPathNode) == 88);

struct MergedPaths {
  GroupKeys keys;                         // the class names of the nodes' keys, which are class ids
  std::span<const MergedPathNode> nodes;  // parents before children; top level: GC roots
  std::uint64_t paths = 0;                // members that are reachable
  std::uint64_t path_bytes = 0;
  std::uint64_t without_path = 0;  // members that are not, over the references that were followed
  std::uint64_t rest_paths = 0;    // of top-level groups that are no nodes
  std::uint32_t rest_groups = 0;
};

Result<MergedPaths> merged_paths(const Snapshot& snapshot, const Reachability& reachability,
                                 const ObjectSet& set, const GroupLimits& limits, Arena& arena,
                                 const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
