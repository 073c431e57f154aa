// What fills the heap, state by state: held strongly, softly, by finalizers, weakly, by possible stack slots alone, unreachable.
//      What stands in the heap beside the graph is listed by class alone, where the capture counted it.
// Shape:  the figures of all states add up to the graph. A state that matters (share and bytes of HeapStateLimits) is made a graph of
//         its own (state_graph.h): its classes by shallow bytes, and what piles up there. Groups are disjoint.
//         Without such a state O(what only possible slots hold). With one: 30 ns an object and 5 ns a reference of the whole graph, and
//         for each object of the state what dominators and suspects cost. Results at most 40 KB a state.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: java.lang.ref package documentation (reachability); [MAT] (unreachable objects histogram).
#pragma once

#include "analysis/states/backlogs.h"
#include "common/vm_adapter.h"

namespace holdfast::analysis {

struct HeapStateLimits {
  std::uint64_t share_divisor = 20;  // of the graph's bytes
  std::uint64_t smallest_bytes = std::uint64_t{1} << 20;
  std::uint32_t classes = 20;
  std::uint32_t groups = 4;
};

struct HeapStateQuestion {
  const CountedReferences& references;
  const Reachability& reachability;
  const Dominators& dominators;  // empty where they were left out: only the figures are found then
  StrengthSet holding = kStrongOnly;
  const UnreachedObjects* unreached = nullptr;  // nullptr: not known
};

Result<HeapStateFindings> find_heap_states(const HeapStateQuestion& question,
                                           const HeapStateLimits& limits, Arena& arena,
                                           const CancelToken& cancel) noexcept;

// The suspects with those groups among them that wait for finalizers: these are marked, lead from a GC root, and are ranked with the
// others. Groups of which most are in no queue yet are none: the next collection finds them.
Result<std::span<const SuspectResult>> with_waiting(std::span<const SuspectResult> suspects,
                                                    const HeapStateFindings& states,
                                                    const CountedReferences& references,
                                                    const Reachability& reachability,
                                                    Arena& arena) noexcept;

// GC roots for what none reaches (retain=unreachable), behind those that are there.
Result<std::span<const RootRecord>> with_unreachable_roots(const CountedReferences& references,
                                                           StrengthSet holding, Arena& arena,
                                                           const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
