// Who owns what, as HeapRoots has it: roots from which every object is reached, and the tree in which a depth-first search
// from them finds it.
// Why beside dominators: it needs no GC roots, leaves no object out, garbage included, and shows the heap as somebody who follows
//      references meets it. Its sizes are those of the search, not of what would go: an object that two roots reach belongs to
//      the first.
// Shape:  a pure root is an object without links from others; an artificial one is the lowest number that no root before it
//         reached. Pure ones are searched first, each kind in rising numbers, links in their order; strong and soft ones alike, so
//         a root may own what another holds strongly (strong_only leaves soft links out: what only they reach is a root then).
//         objects[n]. descendants == sum over children of descendants + 1; subtree_bytes == shallow + sum over children of theirs;
//         max_depth == 0 without children, else 1 + the largest of theirs. Sum over roots of subtree_bytes == all bytes.
//         24 B an object + 4 B a root; scratch 1 bit an object: results serve as the search's stack. O(n + m).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [HeapRoots], "Root", "Root-Owner", "Descendants & Total/Subtree Size & Max Depth", "Algorithms".
#pragma once

#include "analysis/heap_roots/links.h"

namespace holdfast::analysis {

struct OwnedObject {
  // As parents:
  static constexpr std::uint32_t kPureRoot = 0xFFFFFFFEu;
  static constexpr std::uint32_t kArtificialRoot = 0xFFFFFFFDu;

  std::uint64_t subtree_bytes = 0;
  std::uint32_t owner = 0;   // a root; a root's is the root itself
  std::uint32_t parent = 0;  // the object whose link first reached it, or what kind of root it is
  std::uint32_t descendants = 0;  // objects below, itself not counted
  std::uint32_t max_depth = 0;    // of what is below

  bool is_root() const noexcept { return parent >= kArtificialRoot; }
};
static_assert(sizeof(OwnedObject) == 24);

struct Ownership {
  std::span<const OwnedObject> objects;  // [n]
  std::span<const std::uint32_t> roots;  // pure ones first, each kind in rising numbers
  std::uint32_t pure_roots = 0;
};

constexpr std::uint64_t ownership_bytes(std::uint64_t objects, std::uint64_t roots) noexcept {
  return sizeof(OwnedObject) * objects + objects / 8 + 4 * roots;
}

Result<Ownership> find_ownership(const CountedReferences& references, const LinkScope& scope,
                                 Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
