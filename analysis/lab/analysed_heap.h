// A snapshot with what most passes build on: counted references, reachability, dominators. For tests of such passes.
// Shape:  all in one shared arena, given back when it goes out of scope; the snapshot must outlive it.
// Zone:   offline.   Errors: a pass that fails ends the process.
#pragma once

#include <cstdlib>

#include "analysis/dominators.h"
#include "analysis/lab/test_arena.h"
#include "analysis/reachability.h"

namespace holdfast::analysis::lab {

class AnalysedHeap {
 public:
  explicit AnalysedHeap(const Snapshot& snapshot, StrengthSet holding = kStrongOnly)
      : scope_(arena()),
        references(or_abort(CountedReferences::make(snapshot, arena(), cancel))),
        reachability(or_abort(find_reachability(references, arena(), cancel))),
        dominators(or_abort(compute_dominators(references, holding, arena(), cancel))) {}

  static Arena& arena() {
    static TestArena memory(std::uint64_t{1} << 30);
    return memory.arena();
  }
  template <class T>
  static T or_abort(Result<T> result) {
    if (!result) std::abort();
    return *result;
  }

 private:
  ArenaScope scope_;

 public:
  CancelToken cancel;
  CountedReferences references;
  Reachability reachability;
  Dominators dominators;
};

}  // namespace holdfast::analysis::lab
