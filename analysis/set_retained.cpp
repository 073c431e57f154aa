#include "analysis/set_retained.h"

#include "analysis/dominator_arrays.h"
#include "analysis/dominator_tree.h"
#include "analysis/graph_marking.h"

namespace holdfast::analysis {

Result<MinimumRetained> minimum_retained(const Snapshot& snapshot, const Dominators& d,
                                         const ObjectSet& set, const CancelToken& cancel) noexcept {
  MinimumRetained found;
  std::uint32_t covered_until = 0;  // in preorder, what the last top member dominates ends here
  HF_CHECK_OK(
      forward_in_strides(0, d.held_objects, cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t p = from; p < to; ++p) {
          if (!set.contains(d.order[p])) continue;
          ++found.members;
          found.member_shallow_bytes += snapshot.shallow_bytes(ObjectId{d.order[p]});
          if (p < covered_until) continue;
          covered_until = subtree_end(d, p);
          ++found.top_members;
          found.retained_objects += d.subtree_objects[p];
          found.retained_bytes += retained_at(d, p);
        }
      }));
  return found;
}

Result<ObjectSet> retained_set(const CountedReferences& references, StrengthSet holding,
                               const Dominators& d, const ObjectSet& set, Arena& arena,
                               const CancelToken& cancel) noexcept {
  const Snapshot& s = references.snapshot();
  HF_TRY(retained, ObjectSet::make(s, arena));
  ArenaScope scratch(arena);
  HF_TRY(marked, mark_without(references, holding, set, arena, cancel));
  HF_CHECK_OK(
      forward_in_strides(0, s.object_count(), cancel, [&](std::uint32_t from, std::uint32_t to) {
        for (std::uint32_t v = from; v < to; ++v)
          if (d.position[v] != ObjectId::kNoneValue && !marked.contains(v)) retained.insert(s, v);
      }));
  return retained;
}

}  // namespace holdfast::analysis
