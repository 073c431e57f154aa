#include "analysis/reachable/set_reach.h"

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

class SetMarking {
 public:
  SetMarking(const CountedReferences& references, StrengthSet holding,
             const CancelToken& cancel) noexcept
      : references_(references),
        snapshot_(references.snapshot()),
        holding_(holding),
        cancel_(cancel) {}

  Result<void> run(const ObjectSet& set, ObjectSet& reached, Arena& arena) noexcept {
    HF_TRY(stack, arena.make<std::uint32_t>(snapshot_.object_count()));
    stack_ = stack;
    set.for_each([&](std::uint32_t v) { mark(v, reached); });
    for (std::uint32_t steps = 0; depth_ > 0; ++steps) {
      if (steps % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      follow(stack_[--depth_], reached);
    }
    return {};
  }

 private:
  void mark(std::uint32_t object, ObjectSet& reached) noexcept {
    if (reached.insert(snapshot_, object)) stack_[depth_++] = object;
  }

  void follow(std::uint32_t object, ObjectSet& reached) noexcept {
    const bool mixed = references_.of(object).mixed;
    const std::uint32_t end = snapshot_.first_ref[object + 1];
    for (std::uint32_t i = snapshot_.first_ref[object]; i < end; ++i)
      if (!mixed || (holding_ & strength_bit(strength_of(snapshot_.label[i]))) != 0)
        mark(snapshot_.target[i].value, reached);
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const StrengthSet holding_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> stack_;  // each object is put there once at most
  std::size_t depth_ = 0;
};

Result<ObjectSet> mark_reached(const CountedReferences& references, StrengthSet holding,
                               const ObjectSet& set, Arena& arena,
                               const CancelToken& cancel) noexcept {
  HF_TRY(reached, ObjectSet::make(references.snapshot(), arena));
  ArenaScope scratch(arena);
  HF_CHECK_OK(SetMarking(references, holding, cancel).run(set, reached, arena));
  return reached;
}

}  // namespace

Result<ObjectSet> set_reach(const CountedReferences& references, StrengthSet holding,
                            const ObjectSet& set, Arena& arena,
                            const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto reached = mark_reached(references, holding, set, arena, cancel);
  if (!reached) arena.rewind(before);
  return reached;
}

}  // namespace holdfast::analysis
