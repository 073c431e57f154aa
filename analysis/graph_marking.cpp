#include "analysis/graph_marking.h"

#include <algorithm>

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

class Marking {
 public:
  Marking(const CountedReferences& references, StrengthSet holding, std::span<std::uint32_t> stack,
          const CancelToken& cancel) noexcept
      : references_(references), holding_(holding), stack_(stack), cancel_(cancel) {}

  // Adds what the roots that may be none, or the others, reach. Objects that `skip` is true of do not exist.
  template <class Skip>
  Result<void> from_roots(bool may_be_none_now, ObjectSet& marked, Skip skip) noexcept {
    const Snapshot& s = references_.snapshot();
    const auto mark = [&](std::uint32_t object) {
      if (!skip(object) && marked.insert(s, object)) stack_[depth_++] = object;
    };
    for (const RootRecord& root : s.roots)
      if (may_be_none(root.kind) == may_be_none_now) mark(root.object.value);
    for (std::uint32_t steps = 0; depth_ > 0; ++steps) {
      if (steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      references_.visit_row(stack_[--depth_], holding_,
                            [&](std::uint32_t target, Strength) { mark(target); });
    }
    return {};
  }

 private:
  const CountedReferences& references_;
  StrengthSet holding_;
  std::span<std::uint32_t> stack_;  // each object is pushed once at most
  std::size_t depth_ = 0;
  const CancelToken& cancel_;
};

bool any_may_be_none(const Snapshot& s) noexcept {
  return std::any_of(s.roots.begin(), s.roots.end(),
                     [](const RootRecord& root) { return may_be_none(root.kind); });
}

}  // namespace

Result<ObjectSet> mark_without(const CountedReferences& references, StrengthSet holding,
                               const ObjectSet& removed, Arena& arena,
                               const CancelToken& cancel) noexcept {
  const Snapshot& s = references.snapshot();
  HF_TRY(marked, ObjectSet::make(s, arena));
  ArenaScope scratch(arena);
  HF_TRY(stack, arena.make<std::uint32_t>(s.object_count()));
  Marking marking(references, holding, stack, cancel);
  const auto is_removed = [&](std::uint32_t object) { return removed.contains(object); };
  HF_CHECK_OK(marking.from_roots(false, marked, is_removed));
  if (!any_may_be_none(s)) return marked;
  HF_TRY(held_for_sure, ObjectSet::make(s, arena));
  HF_CHECK_OK(marking.from_roots(false, held_for_sure, [](std::uint32_t) { return false; }));
  HF_CHECK_OK(marking.from_roots(true, marked, [&](std::uint32_t object) {
    return removed.contains(object) || held_for_sure.contains(object);
  }));
  return marked;
}

}  // namespace holdfast::analysis
