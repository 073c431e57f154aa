// Leak suspects: who retains a large part of the heap, what piles up there, and why we think so.
// How:    down the dominator tree from the virtual root, only into what retains at least the threshold. Where the bytes no longer
//         go on in a few large children but spread over many of one class, the accumulation point is reached; a structure of
//         connected objects of one class (list, tree) counts as one step. suspect_search.h finds, suspect_evidence.h argues.
// Shape:  at most kMaxSuspects, by retained size times confidence; disjoint: no byte is in two of them.
//         Scratch 40 B a class; O(objects below what is large) + kMaxLevels sweeps below each suspect.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: Eclipse MAT's leak suspects (20 % of the heap, fall below 0.7), with groups instead of single large children.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis {

inline constexpr std::uint32_t kMaxSuspects = 20;

struct SuspectLimits {
  // MAT asks for 20 % and one answer; confidence tells the loud from the quiet here, so 5 % may speak.
  std::uint64_t share_divisor = 20;
  // Every VM has structures of its own; below a megabyte nothing is worth a person's time.
  std::uint64_t smallest_bytes = std::uint64_t{1} << 20;
};

struct SuspectInput {
  const CountedReferences& references;
  const Reachability& reachability;
  const Dominators& dominators;
  std::span<const ClassFigures> classes;
  const AgeVerdict* aging = nullptr;  // what was found between dumps; nullptr: ages are off
  // The graph is the objects of one state (heap_states.h): no path leads to them, and its roots are where the state begins.
  bool of_state = false;
  // The heap is nearly all that it may be: what fills it is no work under way.
  bool heap_is_full = false;
};

Result<std::span<const SuspectResult>> find_suspects(const SuspectInput& input, Arena& arena,
                                                     const CancelToken& cancel,
                                                     const SuspectLimits& limits = {}) noexcept;

}  // namespace holdfast::analysis
