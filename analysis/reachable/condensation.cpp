#include "analysis/reachable/condensation.h"

#include <bit>

#include "common/cancel.h"
#include "common/prefetch.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kRowsAhead = 16;  // objects whose rows are fetched in advance

class Condenser {
 public:
  Condenser(const CountedReferences& references, const CondensationScope& scope,
            const StrongComponents& components, const CancelToken& cancel) noexcept
      : references_(references),
        snapshot_(references.snapshot()),
        scope_(scope),
        components_(components),
        cancel_(cancel) {}

  // Lists the objects of each component, then each component's distinct referents.
  Result<std::uint32_t> fill(std::span<std::uint32_t> first_ref, std::span<std::uint32_t> target,
                             std::span<std::uint64_t> shallow_bytes, Arena& arena) noexcept {
    HF_TRY(members, list_members(arena));
    HF_TRY(seen_by, arena.make_filled<std::uint32_t>(components_.count, ObjectId::kNoneValue));
    first_ref_ = first_ref;
    target_ = target;
    shallow_bytes_ = shallow_bytes;
    seen_by_ = seen_by;
    std::size_t at = 0;
    for (std::uint32_t c = 0; c < components_.count; ++c) {
      first_ref_[c] = count_;
      shallow_bytes_[c] = 0;
      for (const std::size_t end = at + components_.objects[c]; at < end; ++at) {
        if (at % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
        if (at + kRowsAhead < members.size()) fetch(members[at + kRowsAhead]);
        add_object(c, members[at]);
      }
    }
    first_ref_[components_.count] = count_;
    return count_;
  }

 private:
  // Objects by component, by counting.
  Result<std::span<std::uint32_t>> list_members(Arena& arena) const noexcept {
    const std::span<const std::uint32_t> component = components_.component;
    HF_TRY(members, arena.make<std::uint32_t>(component.size()));
    ArenaScope scratch(arena);
    HF_TRY(next, arena.make<std::uint32_t>(components_.count));
    std::uint32_t sum = 0;
    for (std::uint32_t c = 0; c < components_.count; ++c) {
      next[c] = sum;
      sum += components_.objects[c];
    }
    for (std::uint32_t v = 0; v < component.size(); ++v) {
      if (v % kCancelStride == 0) HF_CHECK_OK(cancel_.check());
      members[next[component[v]]++] = v;
    }
    return members;
  }

  void fetch(std::uint32_t object) const noexcept {
    prefetch(&snapshot_.first_ref[object]);
    prefetch(&snapshot_.class_of[object]);
    prefetch(&snapshot_.shallow_units[object]);
  }

  void add_object(std::uint32_t node, std::uint32_t object) noexcept {
    shallow_bytes_[node] += snapshot_.shallow_bytes(ObjectId{object});
    const ClassReferences& row = references_.of(object);
    const std::uint32_t end = snapshot_.first_ref[object + 1];
    for (std::uint32_t i = snapshot_.first_ref[object]; i < end; ++i) {
      if (row.mixed && (scope_.holding & strength_bit(strength_of(snapshot_.label[i]))) == 0)
        continue;
      add_reference(node, snapshot_.target[i].value);
    }
    if (scope_.class_references && row.class_object != ObjectId::kNoneValue)
      add_reference(node, row.class_object);
  }

  void add_reference(std::uint32_t node, std::uint32_t object) noexcept {
    const std::uint32_t referent = components_.component[object];
    if (referent == node || seen_by_[referent] == node) return;
    seen_by_[referent] = node;
    target_[count_++] = referent;
  }

  const CountedReferences& references_;
  const Snapshot& snapshot_;
  const CondensationScope& scope_;
  const StrongComponents& components_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> first_ref_, target_;
  std::span<std::uint64_t> shallow_bytes_;
  std::span<std::uint32_t> seen_by_;  // the last node that has listed this one
  std::uint32_t count_ = 0;
};

// seen_by is none exactly for nodes that nobody refers to, but it is scratch: counted from the rows.
Result<void> count_ends(Condensation& made, Arena& arena) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(referred, arena.make_filled<std::uint64_t>((std::size_t{made.count()} + 63) / 64, 0));
  for (const std::uint32_t t : made.target) referred[t >> 6] |= std::uint64_t{1} << (t & 63);
  made.sources = made.count();
  for (const std::uint64_t word : referred)
    made.sources -= static_cast<std::uint32_t>(std::popcount(word));
  for (std::uint32_t c = 0; c < made.count(); ++c)
    made.sinks += made.first_ref[c] == made.first_ref[c + 1] ? 1 : 0;
  return {};
}

Result<Condensation> make_condensation(const CountedReferences& references,
                                       const CondensationScope& scope, Arena& arena,
                                       const CancelToken& cancel) noexcept {
  Condensation made;
  HF_TRY(components, strong_components(references, {scope.holding, scope.class_references, true},
                                       arena, cancel));
  made.components = components;
  const Snapshot& s = references.snapshot();
  const std::uint64_t implied = scope.class_references ? s.object_count() : 0;
  HF_TRY(first_ref, arena.make<std::uint32_t>(std::size_t{components.count} + 1));
  HF_TRY(shallow_bytes, arena.make<std::uint64_t>(components.count));
  HF_TRY(target, arena.make<std::uint32_t>(s.reference_count() + implied));
  std::uint32_t references_left = 0;
  {
    ArenaScope scratch(arena);
    HF_TRY(count, Condenser(references, scope, components, cancel)
                      .fill(first_ref, target, shallow_bytes, arena));
    references_left = count;
  }
  made.first_ref = first_ref;
  made.shallow_bytes = shallow_bytes;
  made.target = arena.shrink_last(target, references_left);
  HF_CHECK_OK(count_ends(made, arena));
  return made;
}

}  // namespace

Result<Condensation> condense(const CountedReferences& references, const CondensationScope& scope,
                              Arena& arena, const CancelToken& cancel) noexcept {
  const Arena::Mark before = arena.mark();
  auto made = make_condensation(references, scope, arena, cancel);
  if (!made) arena.rewind(before);
  return made;
}

}  // namespace holdfast::analysis
