#include "analysis/heap_roots/ownership.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kCancelStride = 8192;  // links between two looks at the cancel token
constexpr std::uint32_t kUnreached = ObjectId::kNoneValue;   // as a parent
constexpr std::uint32_t kNoReferrer = ObjectId::kNoneValue;  // as an owner, before the search

static_assert(kMaxObjects < Ownership::kArtificialRoot);

// owner[v] is kNoReferrer or anything else before the search meets v; the number of v's next link while v is on the way down,
// which parent leads back up; its owner from then on.
class OwnershipSearch {
 public:
  OwnershipSearch(const CountedReferences& references, const LinkScope& scope,
                  const CancelToken& cancel) noexcept
      : references_(references), snapshot_(references.snapshot()), scope_(scope), cancel_(cancel) {}

  Result<Ownership> run(Arena& arena) noexcept {
    const std::uint32_t n = snapshot_.object_count();
    HF_TRY(owner, arena.make_filled<std::uint32_t>(n, kNoReferrer));
    HF_TRY(parent, arena.make_filled<std::uint32_t>(n, kUnreached));
    HF_TRY(descendants, arena.make<std::uint32_t>(n));
    HF_TRY(max_depth, arena.make<std::uint32_t>(n));
    HF_TRY(subtree_bytes, arena.make<std::uint64_t>(n));
    owner_ = owner;
    parent_ = parent;
    descendants_ = descendants;
    max_depth_ = max_depth;
    subtree_bytes_ = subtree_bytes;
    HF_CHECK_OK(mark_referred());
    // What nobody refers to keeps kNoReferrer until it is its turn; all else loses it at once.
    for (std::uint32_t v = 0; v < n; ++v)
      if (owner_[v] == kNoReferrer) HF_CHECK_OK(search_from(v, Ownership::kPureRoot));
    const std::uint32_t pure = roots_;
    for (std::uint32_t v = 0; v < n; ++v)
      if (parent_[v] == kUnreached) HF_CHECK_OK(search_from(v, Ownership::kArtificialRoot));
    HF_TRY(roots, arena.make<std::uint32_t>(roots_));
    list_roots(roots, pure);
    return Ownership{owner, parent, descendants, max_depth, subtree_bytes, roots, pure};
  }

 private:
  Result<void> mark_referred() noexcept {
    for (std::uint32_t v = 0; v < owner_.size(); ++v) {
      const LinkRow links(references_, scope_, v);
      std::uint32_t next = 0;
      for (;;) {
        if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
        const std::uint32_t target = links.next(next);
        if (target == ObjectId::kNoneValue) break;
        owner_[target] = 0;
      }
    }
    return {};
  }

  Result<void> search_from(std::uint32_t object, std::uint32_t kind) noexcept {
    root_ = object;
    ++roots_;
    enter(object, kind);
    while (at_ != kUnreached) HF_CHECK_OK(step());
    return {};
  }

  void enter(std::uint32_t object, std::uint32_t parent) noexcept {
    parent_[object] = parent;
    owner_[object] = 0;
    descendants_[object] = 0;
    max_depth_[object] = 0;
    subtree_bytes_[object] = snapshot_.shallow_bytes(ObjectId{object});
    at_ = object;
  }

  // Follows the links of the object at hand until one leads to an object that was not reached yet, or none is left.
  Result<void> step() noexcept {
    const LinkRow links(references_, scope_, at_);
    std::uint32_t& next = owner_[at_];
    for (;;) {
      if (++steps_ % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      const std::uint32_t target = links.next(next);
      if (target == ObjectId::kNoneValue) break;
      if (parent_[target] != kUnreached) continue;
      enter(target, at_);
      return {};
    }
    leave(at_);
    return {};
  }

  void leave(std::uint32_t object) noexcept {
    owner_[object] = root_;
    at_ = kUnreached;
    if (object == root_) return;
    const std::uint32_t parent = at_ = parent_[object];
    descendants_[parent] += descendants_[object] + 1;
    subtree_bytes_[parent] += subtree_bytes_[object];
    max_depth_[parent] = std::max(max_depth_[parent], max_depth_[object] + 1);
  }

  void list_roots(std::span<std::uint32_t> roots, std::uint32_t pure) const noexcept {
    std::size_t next_pure = 0;
    std::size_t next_artificial = pure;
    for (std::uint32_t v = 0; v < parent_.size(); ++v) {
      if (parent_[v] == Ownership::kPureRoot) roots[next_pure++] = v;
      if (parent_[v] == Ownership::kArtificialRoot) roots[next_artificial++] = v;
    }
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const LinkScope& scope_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> owner_, parent_, descendants_, max_depth_;
  std::span<std::uint64_t> subtree_bytes_;
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
