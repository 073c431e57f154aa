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

  // Adds what the roots of a lifespan reach. Objects that `skip` is true of do not exist.
  template <class Skip>
  Result<void> from_roots(Lifespan lifespan, ObjectSet& marked, Skip skip) noexcept {
    const Snapshot& s = references_.snapshot();
    const auto mark = [&](std::uint32_t object) {
      if (!skip(object) && marked.insert(s, object)) stack_[depth_++] = object;
    };
    for (const RootRecord& root : s.roots)
      if (s.lifespan(root) == lifespan) mark(root.object.value);
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

bool any_of(const Snapshot& s, Lifespan lifespan) noexcept {
  return std::any_of(s.roots.begin(), s.roots.end(),
                     [&](const RootRecord& root) { return s.lifespan(root) == lifespan; });
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
  HF_TRY(held,
         ObjectSet::make(s, arena));  // by roots of longer lifespans, with the removed objects
  for (const Lifespan lifespan : kLifespans) {
    if (!any_of(s, lifespan)) continue;
    HF_CHECK_OK(marking.from_roots(lifespan, marked, [&](std::uint32_t object) {
      return removed.contains(object) || held.contains(object);
    }));
    HF_CHECK_OK(marking.from_roots(lifespan, held, [](std::uint32_t) { return false; }));
  }
  return marked;
}

}  // namespace holdfast::analysis
