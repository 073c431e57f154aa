#include "analysis/heap_roots/ownership.h"

#include <algorithm>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kUnreached = ObjectId::kNoneValue;  // as a parent

static_assert(kMaxObjects < OwnedObject::kArtificialRoot);

// While an object is on the way down, its owner is the number of its next link, and its parent leads back up.
class OwnershipSearch {
 public:
  OwnershipSearch(const CountedReferences& references, const LinkScope& scope,
                  const CancelToken& cancel) noexcept
      : references_(references), snapshot_(references.snapshot()), scope_(scope), cancel_(cancel) {}

  Result<Ownership> run(Arena& arena) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(objects, arena.make_filled<OwnedObject>(n, OwnedObject{0, 0, kUnreached, 0, 0}));
    objects_ = objects;
    HF_CHECK_OK(search_from_pure(arena));
    const std::uint32_t pure = roots_;
    for (std::uint32_t v = 0; v < n; ++v)
      if (objects_[v].parent == kUnreached)
        HF_CHECK_OK(search_from(v, OwnedObject::kArtificialRoot));
    HF_TRY(roots, arena.make<std::uint32_t>(roots_));
    list_roots(roots, pure);
    return Ownership{objects, roots, pure};
  }

 private:
  Result<void> search_from_pure(Arena& arena) noexcept {
    ArenaScope scratch(arena);
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(referred, arena.make_filled<std::uint64_t>((std::size_t{n} + 63) / 64, 0));
    for (std::uint32_t v = 0; v < n; ++v) HF_CHECK_OK(mark_targets(v, referred));
    for (std::uint32_t v = 0; v < n; ++v)
      if ((referred[v >> 6] >> (v & 63) & 1u) == 0)
        HF_CHECK_OK(search_from(v, OwnedObject::kPureRoot));
    return {};
  }

  Result<void> mark_targets(std::uint32_t object, std::span<std::uint64_t> marked) noexcept {
    const LinkRow links(references_, scope_, object);
    std::uint32_t next = 0;
    for (;;) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t target = links.next(next);
      if (target == ObjectId::kNoneValue) return {};
      marked[target >> 6] |= std::uint64_t{1} << (target & 63);
    }
  }

  Result<void> search_from(std::uint32_t object, std::uint32_t kind) noexcept {
    root_ = object;
    ++roots_;
    enter(object, kind);
    while (at_ != kUnreached) HF_CHECK_OK(step());
    return {};
  }

  void enter(std::uint32_t object, std::uint32_t parent) noexcept {
    prefetch(snapshot_.target.data() + snapshot_.first_ref[object]);
    objects_[object] = {snapshot_.shallow_bytes(ObjectId{object}), 0, parent, 0, 0};
    at_ = object;
  }

  // Follows the links of the object at hand until one leads to an object that was not reached yet, or none is left.
  Result<void> step() noexcept {
    const LinkRow links(references_, scope_, at_);
    std::uint32_t& next = objects_[at_].owner;
    for (;;) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t target = links.next(next);
      if (target == ObjectId::kNoneValue) break;
      if (objects_[target].parent != kUnreached) continue;
      enter(target, at_);
      return {};
    }
    leave(at_);
    return {};
  }

  void leave(std::uint32_t object) noexcept {
    OwnedObject& left = objects_[object];
    left.owner = root_;
    at_ = kUnreached;
    if (object == root_) return;
    at_ = left.parent;
    OwnedObject& parent = objects_[at_];
    parent.descendants += left.descendants + 1;
    parent.subtree_bytes += left.subtree_bytes;
    parent.max_depth = std::max(parent.max_depth, left.max_depth + 1);
  }

  void list_roots(std::span<std::uint32_t> roots, std::uint32_t pure) const noexcept {
    std::size_t next_pure = 0;
    std::size_t next_artificial = pure;
    for (std::uint32_t v = 0; v < objects_.size(); ++v) {
      if (objects_[v].parent == OwnedObject::kPureRoot) roots[next_pure++] = v;
      if (objects_[v].parent == OwnedObject::kArtificialRoot) roots[next_artificial++] = v;
    }
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const LinkScope& scope_;
  const CancelToken& cancel_;
  std::span<OwnedObject> objects_;
  std::uint32_t root_ = 0;
  std::uint32_t at_ = kUnreached;  // the deepest object on the way down
  std::uint32_t roots_ = 0;
  std::uint32_t steps_ = 0;
};

}  // namespace

Result<Ownership> find_ownership(const CountedReferences& references, const LinkScope& scope,
                                 Arena& arena, const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto found = OwnershipSearch(references, scope, cancel).run(arena);
  if (!found) arena.rewind(before);
  return found;
}

}  // namespace holdfast::analysis
