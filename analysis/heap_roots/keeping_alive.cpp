#include "analysis/heap_roots/keeping_alive.h"

#include "common/cancel.h"

namespace holdfast::analysis {

namespace {

class KeepingAliveSearch {
 public:
  KeepingAliveSearch(const CountedReferences& references, const LinkScope& scope,
                     std::uint32_t object, const CancelToken& cancel) noexcept
      : references_(references),
        snapshot_(references.snapshot()),
        scope_(scope),
        object_(object),
        cancel_(cancel) {}

  Result<void> run(KeepingAlive& found, Arena& arena) noexcept {
    HF_TRY(outside, ObjectSet::make(snapshot_, arena));
    HF_TRY(stack, arena.make<std::uint32_t>(snapshot_.object_count()));
    stack_ = stack;
    HF_CHECK_OK(spread(object_, found.reachable, nullptr));
    for (std::uint32_t v = 0; v < snapshot_.object_count(); ++v)
      if (v != object_ && !found.reachable.contains(v))
        HF_CHECK_OK(spread(v, outside, &found.reachable));
    found.reachable.for_each([&](std::uint32_t v) {
      if (!outside.contains(v)) found.kept.insert(snapshot_, v);
    });
    return {};
  }

 private:
  // Puts into `set` what `from` reaches of `within` (none: of everything), but for the object itself and what only it leads to.
  Result<void> spread(std::uint32_t from, ObjectSet& set, const ObjectSet* within) noexcept {
    depth_ = 0;
    HF_CHECK_OK(follow(from, set, within));
    while (depth_ > 0) HF_CHECK_OK(follow(stack_[--depth_], set, within));
    return {};
  }

  Result<void> follow(std::uint32_t from, ObjectSet& set, const ObjectSet* within) noexcept {
    const LinkRow links(references_, scope_, from);
    std::uint32_t next = 0;
    for (;;) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t target = links.next(next);
      if (target == ObjectId::kNoneValue) return {};
      if (target == object_ || (within != nullptr && !within->contains(target))) continue;
      if (set.insert(snapshot_, target)) stack_[depth_++] = target;
    }
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const LinkScope& scope_;
  const std::uint32_t object_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> stack_;  // each object is put there once a set
  std::size_t depth_ = 0;
  std::uint32_t steps_ = 0;
};

Result<KeepingAlive> search(const CountedReferences& references, const LinkScope& scope,
                            ObjectId object, Arena& arena, const CancelToken& cancel) noexcept {
  KeepingAlive found;
  HF_TRY(reachable, ObjectSet::make(references.snapshot(), arena));
  HF_TRY(kept, ObjectSet::make(references.snapshot(), arena));
  found.reachable = reachable;
  found.kept = kept;
  ArenaScope scratch(arena);
  HF_CHECK_OK(KeepingAliveSearch(references, scope, object.value, cancel).run(found, arena));
  return found;
}

}  // namespace

Result<KeepingAlive> find_keeping_alive(const CountedReferences& references, const LinkScope& scope,
                                        ObjectId object, Arena& arena,
                                        const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = search(references, scope, object, arena, cancel);
  if (!found) arena.rewind(before);
  return found;
}

}  // namespace holdfast::analysis
