// Who owns what, as HeapRoots has it: roots from which every object is reached, and the tree in which a depth-first search
// from them finds it.
// Why beside dominators: it needs no GC roots, leaves no object out, garbage included, and shows the heap as somebody who follows
//      references meets it. Its sizes are those of the search, not of what would go: an object that two roots reach belongs to
//      the first.
// Shape:  a pure root is an object without links from others; an artificial one is the lowest number that no root before it
//         reached. Pure ones are searched first, each kind in rising numbers, links in their order; strong and soft ones alike, so
//         a root may own what another holds strongly (strong_only leaves soft links out: what only they reach is a root then).
//         owner[n]: a root, its own of a root. parent[n]: the object whose link first reached it, or what kind of root it is.
//         descendants[v] == sum over children c of v of descendants[c] + 1; subtree_bytes[v] == shallow(v) + sum of subtree_bytes[c];
//         max_depth[v] == 0 without children, else 1 + the largest of theirs. Sum over roots of subtree_bytes == all bytes.
//         24 B an object + 4 B a root, no scratch: results serve as the search's stack. O(n + m).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: seed 002, "Root", "Root-Owner", "Descendants & Total/Subtree Size & Max Depth", "Algorithms".
#pragma once

#include "analysis/heap_roots/links.h"

namespace holdfast::analysis {

struct Ownership {
  // As parents:
  static constexpr std::uint32_t kPureRoot = 0xFFFFFFFEu;
  static constexpr std::uint32_t kArtificialRoot = 0xFFFFFFFDu;

  std::span<const std::uint32_t> owner;          // [n]
  std::span<const std::uint32_t> parent;         // [n]
  std::span<const std::uint32_t> descendants;    // [n] objects below, itself not counted
  std::span<const std::uint32_t> max_depth;      // [n]
  std::span<const std::uint64_t> subtree_bytes;  // [n]
  std::span<const std::uint32_t> roots;          // pure ones first
  std::uint32_t pure_roots = 0;

  bool is_root(std::uint32_t object) const noexcept { return parent[object] >= kArtificialRoot; }
};

constexpr std::uint64_t ownership_bytes(std::uint64_t objects, std::uint64_t roots) noexcept {
  return 24 * objects + 4 * roots;
}

Result<Ownership> find_ownership(const CountedReferences& references, const LinkScope& scope,
                                 Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
