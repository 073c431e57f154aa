// The arrays of one dominator computation: what is a result in the end serves as scratch before.
// Shape:  numbers are preorder numbers of the depth-first search; 0 is the virtual root, 1 .. held the objects.
//         One block of 9 words an object; who uses what when:
//           number         [n] by object: search                       -> position
//           vertex         [h+1] by number: object                     (all phases)
//           parent         [h+1] by number: search, then idom          -> depth in the tree
//           semi           [h+1] by number: search, semidominators     -> subtree size, then next free position
//           cross_start    [h+2] by number: search (rows of `cross`)   -> subtree_objects
//           stack          4n words of search: retained, idom, in_start together
//           in_start       [h+2] by number: semidominators             -> order
//           pair           [h+1] {ancestor, minimum}, then {depth, jump} -> retained_bytes
//         parent[v] < v; semi[v] <= parent[v]; idom[v] <= semi[v].
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include <cstddef>

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct LinkPair {
  std::uint32_t ancestor;  // the nearest known ancestor that is linked, or the tree's root
  std::uint32_t minimum;   // smallest semidominator on the path (ancestor, v]
};
static_assert(sizeof(LinkPair) == 8);

struct DominatorArrays {
  static constexpr std::uint32_t kUnvisited = 0xFFFFFFFFu;
  static constexpr std::uint32_t kRootBit =
      0x80000000u;  // in number[]: a root object, whose idom is known
  static constexpr std::uint32_t kCancelStride =
      8192;  // steps between two looks at the cancel token

  std::uint32_t held = 0;
  std::array<std::uint32_t, kLifespans.size()> held_up_to{};  // numbers, per lifespan of the roots
  std::span<std::uint32_t> number, vertex, parent, semi, cross_start, stack, in_start;
  std::span<std::uint32_t> idom_by_object, subtree_objects, order;
  std::span<LinkPair> pair;
  std::span<std::uint64_t> retained;
  std::span<std::uint32_t> cross;  // numbers of the targets of cross and back references, by source

  static Result<DominatorArrays> make_results(std::uint32_t objects, Arena& arena) noexcept;
  Result<void> add_scratch(std::uint32_t objects, Arena& arena) noexcept;
};

// Random access over hundreds of megabytes: large pages saved a third of the time
// (docs/decisions/083-dominators.md). A hint, never an error.
void hint_huge_pages(std::span<std::byte> block) noexcept;

// Calls body(from, to) for consecutive stretches of [begin, end), looking at the token in between.
template <class Body>
Result<void> forward_in_strides(std::uint32_t begin, std::uint32_t end, const CancelToken& cancel,
                                Body body) noexcept {
  for (std::uint32_t from = begin; from < end;) {
    HF_CHECK_OK(cancel.check());
    const std::uint32_t to =
        end - from > DominatorArrays::kCancelStride ? from + DominatorArrays::kCancelStride : end;
    body(from, to);
    from = to;
  }
  return {};
}
// The same from the end down: body(from, to) with `to` falling to `begin`.
template <class Body>
Result<void> backward_in_strides(std::uint32_t begin, std::uint32_t end, const CancelToken& cancel,
                                 Body body) noexcept {
  for (std::uint32_t to = end; to > begin;) {
    HF_CHECK_OK(cancel.check());
    const std::uint32_t from =
        to - begin > DominatorArrays::kCancelStride ? to - DominatorArrays::kCancelStride : begin;
    body(from, to);
    to = from;
  }
  return {};
}

}  // namespace holdfast::analysis
