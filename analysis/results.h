// What the passes find, before it becomes a report: plain spans in the analysis arena.
// Shape:  per object arrays are indexed by ObjectId (length n) unless their name says preorder; kRoot stands for the virtual
//         root above all GC roots. retained[v] == shallow(v) + sum over children c of v in the dominator tree of retained[c];
//         sum over children of the root == held_bytes.
// Zone:   worker, offline.   Errors: none.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "common/snapshot/snapshot.h"

namespace holdfast::analysis {

// Objects by how firmly they are held from the roots (the strongest path counts).
struct Reachability {
  std::span<Strength> strength;                          // [n]
  std::array<std::uint64_t, kStrengthCount> objects{};   // per strength
  std::array<std::uint64_t, kStrengthCount> shallow_bytes{};
};

// Over the references that `retain` counts. An object that is not held has idom invalid and retained 0.
struct Dominators {
  static constexpr std::uint32_t kRoot = 0xFFFFFFFEu;    // as an idom value: the virtual root
  std::span<std::uint32_t> idom;                         // [n] object id, kRoot, or ObjectId::kNoneValue
  std::span<std::uint64_t> retained_bytes;               // [n]
  std::span<std::uint32_t> order;                        // [held] object ids in dominator-tree preorder
  std::span<std::uint32_t> position;                     // [n] index into order, kNoneValue when not held
  std::span<std::uint32_t> subtree_objects;              // [held] by position: objects in the subtree, itself included
  std::uint64_t held_bytes = 0;
  std::uint32_t held_objects = 0;
  std::uint32_t depth = 0;                               // of the dominator tree
};

struct ClassFigures {
  std::uint64_t instances = 0;       // held objects
  std::uint64_t shallow_bytes = 0;
  std::uint64_t retained_bytes = 0;  // minimum retained size of the set of instances (by dominators)
  std::uint64_t largest_retained_bytes = 0;
  ObjectId largest;                  // the instance with the largest retained size
  std::uint64_t unheld_instances = 0;  // in the graph, but only softly/weakly/finally/phantom held as `retain` says
  std::uint64_t unheld_bytes = 0;
};

}  // namespace holdfast::analysis
