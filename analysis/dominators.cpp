#include "analysis/dominators.h"

#include "analysis/dominator_search.h"
#include "analysis/dominator_tree.h"
#include "analysis/semi_dominators.h"

namespace holdfast::analysis {

namespace {

Result<Dominators> compute(const CountedReferences& references, StrengthSet holding,
                           DominatorArrays& arrays, Arena& arena, const CancelToken& cancel,
                           DominatorWork& work) noexcept {
  ArenaScope scratch(arena);
  HF_CHECK_OK(arrays.add_scratch(references.snapshot().object_count(), arena));
  HF_TRY(search, search_depth_first(references, holding, arrays, arena, cancel));
  work.stored_references = arrays.cross.size();
  work.stack_spilled = search.stack_spilled;
  HF_CHECK_OK(find_semi_dominators(arrays, arena, cancel));
  HF_TRY(walk, find_immediate_dominators(arrays, cancel));
  work.walk_steps = walk.steps;
  work.jump_pointers = walk.jump_pointers;
  return build_dominator_tree(references.snapshot(), arrays, cancel);
}

}  // namespace

Result<Dominators> compute_dominators(const CountedReferences& references, StrengthSet holding,
                                      Arena& arena, const CancelToken& cancel,
                                      DominatorWork* work) noexcept {
  const Arena::Mark before = arena.mark();
  const auto fail = [&](const Error& error) {
    arena.rewind(before);
    return error;
  };
  auto arrays = DominatorArrays::make_results(references.snapshot().object_count(), arena);
  if (!arrays) return fail(arrays.error());
  DominatorWork ignored;
  auto made =
      compute(references, holding, *arrays, arena, cancel, work != nullptr ? *work : ignored);
  if (!made) return fail(made.error());
  return made;
}

}  // namespace holdfast::analysis
