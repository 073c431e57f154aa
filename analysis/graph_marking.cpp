#include "analysis/graph_marking.h"

#include "common/cancel.h"

namespace holdfast::analysis {

Result<ObjectSet> mark_without(const CountedReferences& references, StrengthSet holding,
                               const ObjectSet& removed, Arena& arena,
                               const CancelToken& cancel) noexcept {
  const Snapshot& s = references.snapshot();
  HF_TRY(marked, ObjectSet::make(s, arena));
  ArenaScope scratch(arena);
  HF_TRY(stack, arena.make<std::uint32_t>(s.object_count()));  // each object is pushed once at most
  std::size_t depth = 0;
  const auto mark = [&](std::uint32_t object) {
    if (!removed.contains(object) && marked.insert(s, object)) stack[depth++] = object;
  };
  for (const RootRecord& root : s.roots) mark(root.object.value);
  for (std::uint32_t steps = 0; depth > 0; ++steps) {
    if (steps % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    references.visit_row(stack[--depth], holding,
                         [&](std::uint32_t target, Strength) { mark(target); });
  }
  return marked;
}

}  // namespace holdfast::analysis
