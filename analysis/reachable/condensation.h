// The condensation: one node for each strongly connected component, references between components once each, none to itself.
// Why: all objects of a component reach the same, and what is left has no cycles. Whatever asks what an object reaches, or where a
//      cut parts the heap, works on it. References from objects to their class objects are left out unless asked for: with them most of a
//      heap is one component that everything reaches.
// Shape:  nodes as StrongComponents numbers them: references go to lower numbers, so rising numbers meet all referents first, falling
//         ones all referrers. first_ref[count + 1], target[references], shallow_bytes[count]. Every object of the snapshot is in a node.
//         Results 4 B an object (component), 16 B a node, 4 B a reference; scratch 4 B an object + 4 B a node + 4 B for each reference
//         of the snapshot that is within a component or a double one.
//         O(n + m).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: Tarjan: Depth-first search and linear graph algorithms; [Thesis], definitions 7 and 8, section 4.4.
#pragma once

#include "analysis/strong_components.h"

namespace holdfast::analysis {

struct Condensation {
  StrongComponents components;
  std::span<const std::uint32_t> first_ref;      // [count + 1]
  std::span<const std::uint32_t> target;         // [references]
  std::span<const std::uint64_t> shallow_bytes;  // [count] of all objects of a node together
  std::uint32_t sources = 0;                     // nodes without referrers
  std::uint32_t sinks = 0;                       // nodes without references

  std::uint32_t count() const noexcept { return components.count; }
  std::span<const std::uint32_t> row(std::uint32_t node) const noexcept {
    return target.subspan(first_ref[node], first_ref[node + 1] - first_ref[node]);
  }
};

struct CondensationScope {
  StrengthSet holding = kStrongOnly;
  bool class_references = false;
};

Result<Condensation> condense(const CountedReferences& references, const CondensationScope& scope,
                              Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
