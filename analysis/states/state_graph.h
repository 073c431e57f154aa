// The objects of one state as a graph of their own, so that the passes for the whole graph find its classes and what piles up there.
// Why not in the passes themselves: states are looked at only where they fill much of the heap, and a pass that knows of them costs
//      every dump.
// Shape:  the objects for which in_state(v), in their order, with the holding references between them; class objects of other
//         states are left out. Roots: GC roots that are in the state, then the objects that a weaker reference from a firmer
//         state leads to, then as few of the rest as reach it. 16 B an object + 6 B a reference + 4 B an object of the whole graph,
//         all of it scratch for the caller to give back.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

// As few objects as possible from which all that is not in `reached` is reached: one for each strong component that no other leads
// to. `reached`: a bit an object, closed under the references; all bits are set afterwards. Rising by object: no.
Result<std::span<const std::uint32_t>> roots_of_rest(const CountedReferences& references,
                                                     StrengthSet holding,
                                                     std::span<std::uint64_t> reached, Arena& arena,
                                                     const CancelToken& cancel) noexcept;

// Marks what the GC roots lead to, those of a finalizer queue left out or not.
Result<void> mark_from_roots(const CountedReferences& references, StrengthSet holding,
                             bool finalizers_too, std::span<std::uint64_t> bits, Arena& arena,
                             const CancelToken& cancel) noexcept;

// The state of every object: what reachability says, but for what only roots that may be none, or a finalizer queue, lead to.
class StateOfObjects {
 public:
  static Result<StateOfObjects> make(const CountedReferences& references,
                                     const Reachability& reachability, const Dominators& dominators,
                                     StrengthSet holding, bool look_for_finalizers, Arena& arena,
                                     const CancelToken& cancel) noexcept;
  HeapState operator()(std::uint32_t object) const noexcept {
    if (is_only_possible(object)) return HeapState::kPossibleSlot;
    if (waits_for_finalizer(object)) return HeapState::kFinal;
    return static_cast<HeapState>(reachability_->strength[object]);
  }
  bool finalizers_told() const noexcept { return !without_finalizers_.empty(); }

 private:
  bool is_only_possible(std::uint32_t object) const noexcept {
    return !dominators_->position.empty() &&
           dominators_->position[object] != ObjectId::kNoneValue &&
           dominators_->position[object] >= dominators_->held_for_sure();
  }
  // Held, but not without the finalizer queue.
  bool waits_for_finalizer(std::uint32_t object) const noexcept {
    return !without_finalizers_.empty() &&
           (without_finalizers_[object / 64] >> (object % 64) & 1u) == 0 &&
           reachability_->strength[object] < Strength::kWeak;
  }

  const Reachability* reachability_ = nullptr;
  const Dominators* dominators_ = nullptr;
  std::span<std::uint64_t> without_finalizers_;  // bits; empty: no GC root is a finalizer queue
};

struct StateGraph {
  Snapshot snapshot;
  std::span<const std::uint32_t> object;  // by number here: its number in the whole graph
};

Result<StateGraph> state_graph(const CountedReferences& references,
                               const Reachability& reachability, const StateOfObjects& states,
                               HeapState state, StrengthSet holding, Arena& arena,
                               const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
