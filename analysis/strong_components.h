// Strongly connected components: objects that all reach each other, over the references that count.
// Why: a cycle is let go as one; what holds its component holds all of it, and its objects reach the same.
// Shape:  component[n]: a number below count, kNoneValue for objects that are not searched. objects[count]: members of each.
//         A reference from one component to another goes to the lower number, so rising numbers are an order in which everything
//         that a component refers to comes first. Results 4 B an object + 4 B a component; scratch 8 B + 1 bit an object.
//         O(n + m): one depth-first search with stacks of its own; an object is on one of the two stacks, so they share an array.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: Tarjan: Depth-first search and linear graph algorithms; Pearce: A space-efficient algorithm for finding strongly
//         connected components (one number an object).
#pragma once

#include "analysis/counted_references.h"

namespace holdfast::analysis {

struct StrongComponents {
  std::span<const std::uint32_t> component;  // [n]
  std::span<const std::uint32_t> objects;    // [count]
  std::uint32_t count = 0;
  std::uint32_t cyclic = 0;          // components of more than one object
  std::uint32_t cyclic_objects = 0;  // objects in them
  std::uint32_t largest =
      ObjectId::kNoneValue;  // the component with the most objects, of equals the first
};

// Which references count, and which objects are searched.
struct ComponentScope {
  StrengthSet holding = kStrongOnly;
  bool class_references = true;  // the implied ones from objects to their class objects, too
  bool every_object = false;     // also those that the GC roots do not reach
};

constexpr std::uint64_t strong_components_bytes(std::uint64_t objects) noexcept {
  return 12 * objects + objects / 8;
}

Result<StrongComponents> strong_components(const CountedReferences& references,
                                           const ComponentScope& scope, Arena& arena,
                                           const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
