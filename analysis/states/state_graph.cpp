#include "analysis/states/state_graph.h"

#include <algorithm>

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kStride = kCancelStride;

bool test(std::span<const std::uint64_t> bits, std::uint32_t i) noexcept {
  return (bits[i / 64] >> (i % 64) & 1u) != 0;
}
void set(std::span<std::uint64_t> bits, std::uint32_t i) noexcept {
  bits[i / 64] |= std::uint64_t{1} << (i % 64);
}
constexpr std::size_t words(std::uint32_t objects) noexcept { return objects / 64 + 1; }

// Marks all that `start` leads to. An object is pushed once, when it is marked, so the stack never holds more than all.
Result<void> mark(const CountedReferences& references, StrengthSet holding, std::uint32_t start,
                  std::span<std::uint64_t> bits, std::span<std::uint32_t> stack,
                  const CancelToken& cancel) noexcept {
  if (test(bits, start)) return {};
  std::size_t depth = 0;
  std::uint32_t steps = 0;
  set(bits, start);
  stack[depth++] = start;
  while (depth != 0) {
    if (++steps % kStride == 0) HF_CHECK_OK(cancel.check());
    references.visit_row(stack[--depth], holding, [&](std::uint32_t target, Strength) {
      if (test(bits, target)) return;
      set(bits, target);
      stack[depth++] = target;
    });
  }
  return {};
}

}  // namespace

// The last start of a first search is in a component that no other leads to, or else a later start would have been before it. So the
// starts are tried again from the last to the first, and those that are reached by then are left out.
Result<std::span<const std::uint32_t>> roots_of_rest(const CountedReferences& references,
                                                     StrengthSet holding,
                                                     std::span<std::uint64_t> reached, Arena& arena,
                                                     const CancelToken& cancel) noexcept {
  const std::uint32_t n = references.snapshot().object_count();
  std::uint32_t rest = 0;
  for (std::uint32_t v = 0; v < n; ++v) rest += test(reached, v) ? 0 : 1;
  HF_TRY(starts, arena.make<std::uint32_t>(rest));
  std::size_t count = 0;
  ArenaScope scratch(arena);
  HF_TRY(stack, arena.make<std::uint32_t>(n));
  HF_TRY(first, arena.make<std::uint64_t>(words(n)));
  std::copy_n(reached.begin(), first.size(), first.begin());
  for (std::uint32_t v = 0; v < n; ++v) {
    if (test(first, v)) continue;
    starts[count++] = v;
    HF_CHECK_OK(mark(references, holding, v, first, stack, cancel));
  }
  std::size_t chosen = count;
  for (std::size_t i = count; i-- > 0;) {
    const std::uint32_t v = starts[i];
    if (test(reached, v)) continue;
    starts[--chosen] = v;
    HF_CHECK_OK(mark(references, holding, v, reached, stack, cancel));
  }
  return std::span<const std::uint32_t>(starts.subspan(chosen, count - chosen));
}

Result<void> mark_from_roots(const CountedReferences& references, StrengthSet holding,
                             bool finalizers_too, std::span<std::uint64_t> bits, Arena& arena,
                             const CancelToken& cancel) noexcept {
  ArenaScope scratch(arena);
  HF_TRY(stack, arena.make<std::uint32_t>(references.snapshot().object_count()));
  for (const RootRecord& root : references.snapshot().roots)
    if (finalizers_too || root.kind != RootKind::kFinalizer)
      HF_CHECK_OK(mark(references, holding, root.object.value, bits, stack, cancel));
  return {};
}

Result<StateOfObjects> StateOfObjects::make(const CountedReferences& references,
                                            const Reachability& reachability,
                                            const Dominators& dominators, StrengthSet holding,
                                            bool look_for_finalizers, Arena& arena,
                                            const CancelToken& cancel) noexcept {
  StateOfObjects made;
  made.reachability_ = &reachability;
  made.dominators_ = &dominators;
  if (!look_for_finalizers) return made;
  const Snapshot& s = references.snapshot();
  HF_TRY(bits, arena.make_filled<std::uint64_t>(words(s.object_count()), 0));
  HF_CHECK_OK(mark_from_roots(references, holding, false, bits, arena, cancel));
  made.without_finalizers_ = bits;
  return made;
}

namespace {

class StateGraphMaker {
 public:
  StateGraphMaker(const CountedReferences& references, const Reachability& reachability,
                  const StateOfObjects& states, HeapState state, StrengthSet holding, Arena& arena,
                  const CancelToken& cancel) noexcept
      : references_(references),
        whole_(references.snapshot()),
        reachability_(reachability),
        states_(states),
        state_(state),
        holding_(holding),
        arena_(arena),
        cancel_(cancel) {}

  Result<StateGraph> make() noexcept {
    HF_CHECK_OK(number_objects());
    HF_CHECK_OK(copy_catalog());
    HF_CHECK_OK(copy_references());
    HF_CHECK_OK(choose_roots());
    return made_;
  }

 private:
  std::uint32_t number_of(std::uint32_t object) const noexcept { return number_[object]; }

  Result<void> number_objects() noexcept {
    const std::uint32_t n = whole_.object_count();
    HF_TRY(number, arena_.make<std::uint32_t>(n));
    std::uint32_t count = 0;
    for (std::uint32_t v = 0; v < n; ++v) {
      if (v % kStride == 0) HF_CHECK_OK(cancel_.check());
      number[v] = states_(v) == state_ ? count++ : ObjectId::kNoneValue;
    }
    HF_TRY(object, arena_.make<std::uint32_t>(count));
    HF_TRY(class_of, arena_.make<ClassId>(count));
    HF_TRY(units, arena_.make<std::uint32_t>(count));
    for (std::uint32_t v = 0; v < n; ++v) {
      const std::uint32_t at = number[v];
      if (at == ObjectId::kNoneValue) continue;
      object[at] = v;
      class_of[at] = whole_.class_of[v];
      units[at] = whole_.shallow_units[v];
    }
    number_ = number;
    made_.object = object;
    made_.snapshot.class_of = class_of;
    made_.snapshot.shallow_units = units;
    made_.snapshot.shallow_unit_bytes = whole_.shallow_unit_bytes;
    return {};
  }

  Result<void> copy_catalog() noexcept {
    made_.snapshot.catalog = whole_.catalog;
    HF_TRY(classes, arena_.make<ClassRow>(whole_.catalog.classes.size()));
    std::copy(whole_.catalog.classes.begin(), whole_.catalog.classes.end(), classes.begin());
    for (ClassRow& row : classes)
      row.mirror = row.mirror.valid() ? ObjectId{number_of(row.mirror.value)} : ObjectId{};
    made_.snapshot.catalog.classes = classes;
    return {};
  }

  // visit(target here, label) for each holding reference that stays in the state.
  template <class Visit>
  void visit_kept(std::uint32_t object, Visit visit) const noexcept {
    const bool mixed = references_.of(object).mixed;
    for (std::uint32_t i = whole_.first_ref[object]; i < whole_.first_ref[object + 1]; ++i) {
      const Strength strength = mixed ? strength_of(whole_.label[i]) : Strength::kStrong;
      const std::uint32_t target = number_of(whole_.target[i].value);
      if (target != ObjectId::kNoneValue && (holding_ & strength_bit(strength)) != 0)
        visit(target, whole_.label[i]);
    }
  }

  Result<void> copy_references() noexcept {
    const auto count = static_cast<std::uint32_t>(made_.object.size());
    HF_TRY(first, arena_.make<std::uint32_t>(std::uint64_t{count} + 1));
    std::uint32_t total = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      if (at % kStride == 0) HF_CHECK_OK(cancel_.check());
      first[at] = total;
      visit_kept(made_.object[at], [&](std::uint32_t, RefLabel) { ++total; });
    }
    first[count] = total;
    HF_TRY(target, arena_.make<ObjectId>(total));
    HF_TRY(label, arena_.make<RefLabel>(total));
    std::uint32_t next = 0;
    for (std::uint32_t at = 0; at < count; ++at) {
      if (at % kStride == 0) HF_CHECK_OK(cancel_.check());
      visit_kept(made_.object[at], [&](std::uint32_t to, RefLabel of) {
        target[next] = ObjectId{to};
        label[next++] = of;
      });
    }
    made_.snapshot.first_ref = first;
    made_.snapshot.target = target;
    made_.snapshot.label = label;
    return {};
  }

  // A reference that is not strong, from what is held more firmly: there the state begins.
  template <class Visit>
  Result<void> visit_entries(Visit visit) const noexcept {
    if (state_ == HeapState::kUnreachable) return {};
    for (std::uint32_t v = 0; v < whole_.object_count(); ++v) {
      if (v % kStride == 0) HF_CHECK_OK(cancel_.check());
      if (!references_.of(v).mixed || static_cast<HeapState>(reachability_.strength[v]) >= state_)
        continue;
      for (std::uint32_t i = whole_.first_ref[v]; i < whole_.first_ref[v + 1]; ++i)
        if (strength_of(whole_.label[i]) != Strength::kStrong) visit(whole_.target[i].value);
    }
    return {};
  }

  Result<void> choose_roots() noexcept {
    Snapshot& s = made_.snapshot;
    const std::uint32_t n = s.object_count();
    HF_TRY(here, CountedReferences::make(s, arena_, cancel_));
    HF_TRY(reached, arena_.make_filled<std::uint64_t>(words(n), 0));
    HF_TRY(begins, arena_.make_filled<std::uint64_t>(words(n), 0));
    HF_TRY(roots, arena_.make_filled<RootRecord>(n, RootRecord{}));
    std::size_t count = 0;
    const auto begin_at = [&](std::uint32_t object) {
      const std::uint32_t at = number_of(object);
      if (at == ObjectId::kNoneValue || test(begins, at)) return;
      set(begins, at);
      roots[count++].object = ObjectId{at};
    };
    for (const RootRecord& root : whole_.roots) begin_at(root.object.value);
    HF_CHECK_OK(visit_entries(begin_at));
    {
      ArenaScope scratch(arena_);
      HF_TRY(stack, arena_.make<std::uint32_t>(n));
      for (std::size_t i = 0; i < count; ++i)
        HF_CHECK_OK(mark(here, holding_, roots[i].object.value, reached, stack, cancel_));
    }
    HF_TRY(rest, roots_of_rest(here, holding_, reached, arena_, cancel_));
    for (const std::uint32_t at : rest) roots[count++].object = ObjectId{at};
    s.roots = roots.first(count);
    return {};
  }

  const CountedReferences& references_;
  const Snapshot& whole_;
  const Reachability& reachability_;
  const StateOfObjects& states_;
  const HeapState state_;
  const StrengthSet holding_;
  Arena& arena_;
  const CancelToken& cancel_;
  std::span<std::uint32_t> number_;
  StateGraph made_;
};

}  // namespace

Result<StateGraph> state_graph(const CountedReferences& references,
                               const Reachability& reachability, const StateOfObjects& states,
                               HeapState state, StrengthSet holding, Arena& arena,
                               const CancelToken& cancel) noexcept {
  return StateGraphMaker(references, reachability, states, state, holding, arena, cancel).make();
}

}  // namespace holdfast::analysis
