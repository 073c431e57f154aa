// Immediate dominators and retained sizes of every object that the counted references reach from the GC roots.
// Held:   a root, and all that it reaches, holds nothing of what roots of a longer lifespan reach: what a static field holds is held by
//         it alone, whatever frames use it at the moment. A stale word on a stack that still leads to an old array of listeners
//         would otherwise take half of them from the event that keeps them. [Thesis]: long- and short-living stack roots.
// Why exact: approximate dominators under-report retained size on cross edges.
// How:    1. depth-first search (dominator_search.h): preorder numbers; tree and forward references are folded into a minimum,
//            only cross and back references are stored. References to root objects are skipped: the virtual root has one too.
//            Roots are taken by lifespan, the longest first; references to what an earlier lifespan numbered are skipped.
//         2. semi_dominators.h: the stored references turned round; minima by path halving; then Semi-NCA's walk up.
//         3. dominator_tree.h: retained sizes in one backward pass, the tree's own preorder in one forward pass.
// Shape:  n objects, h <= n held, e <= m + n stored references; idom < v in preorder throughout, so no pass recurses.
//         Results 24 B/object, scratch 12 B/object, a bit an object and 8 B per stored reference: results serve as scratch first.
//         Only a stack of more than 4n unvisited references (dense graphs) costs 4 B per reference more.
//         O(m log n): the walk up takes jump pointers once its budget of 4n steps is spent.
// Zone:   worker, offline.   Errors: kOutOfBudget, kTooMany, kCancelled; the arena is then as before.
// Source: Georgiadis, Werneck, Tarjan, Triantafyllis, August: Finding Dominators in Practice (Semi-NCA); Myers: An applicative
//         random-access stack (jump pointers).
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis {

// Peak memory of compute_dominators, results included, but for the spill of a dense graph.
constexpr std::uint64_t dominators_bytes(std::uint64_t objects,
                                         std::uint64_t stored_references) noexcept {
  return 36 * (objects + 2) + objects / 8 + 8 * stored_references;
}

struct DominatorWork {  // how hard it was: for tests, benchmarks and notes
  std::uint64_t stored_references = 0;
  std::uint64_t walk_steps = 0;
  bool jump_pointers = false;
  bool stack_spilled = false;
};

Result<Dominators> compute_dominators(const CountedReferences& references, StrengthSet holding,
                                      Arena& arena, const CancelToken& cancel,
                                      DominatorWork* work = nullptr) noexcept;

}  // namespace holdfast::analysis
