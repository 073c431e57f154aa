#include "analysis/other_paths.h"

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/dominator_tree.h"
#include "analysis/object_sets.h"
#include "analysis/root_paths.h"

namespace holdfast::analysis {

namespace {

constexpr std::size_t kMaxCandidates =
    256;  // of one suspect; of ten thousand referrers the first ones
constexpr std::uint32_t kCancelStride = 8192;

// A reference from elsewhere to an object behind the field that one would clear.
struct Candidate {
  ObjectId from;  // invalid: `root` itself
  std::uint32_t root = 0;
  ObjectId to;
  RefLabel label;
  std::uint32_t length = 0;  // objects on the way
  ObjectId field_of{};       // the last field on the way, which with the root distinguishes ways
  RefLabel field{};
};

class OneSuspect {
 public:
  OneSuspect(const SuspectInput& input, const SuspectResult& suspect,
             std::span<Candidate> candidates) noexcept
      : input_(input),
        s_(input.references.snapshot()),
        d_(input.dominators),
        suspect_(suspect),
        candidates_(candidates),
        behind_(behind_the_field()) {}

  std::span<const PathStepResult> behind() const noexcept { return behind_; }
  void note_reference(std::uint32_t from, std::uint32_t to, RefLabel label) noexcept {
    if (!is_behind(ObjectId{to}) || strength_of(label) > suspect_.path.strength) return;
    if (is_root_by_itself(to)) return;
    if (is_from_behind(from)) return;
    if (label.is_element() && is_table_of_statics(from, to)) return;
    const PathStepResult& field = behind_.front();
    const bool on_path = field.object.value == to && referrer_of_field().value == from;
    if (on_path && label == field.label) return;
    add({ObjectId{from}, 0, ObjectId{to}, label});
  }

  void note_roots() noexcept {
    const Lifespan shortest = s_.lifespan(s_.roots[suspect_.path.root]);
    for (std::uint32_t r = 0; r < s_.roots.size(); ++r) {
      const RootRecord& root = s_.roots[r];
      if (!is_behind(root.object) || s_.lifespan(root) > shortest) continue;
      if (r == suspect_.path.root || is_same_root(root, s_.roots[suspect_.path.root])) continue;
      add({ObjectId{}, r, root.object, RefLabel{}});
    }
  }

  // Fills `chosen` from the front, the shortest ways first.
  std::size_t choose(std::span<Candidate> chosen) noexcept {
    const auto found = candidates_.first(count_);
    std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
      return a.length != b.length ? a.length < b.length : a.from < b.from;
    });
    std::size_t count = 0;
    for (const Candidate& candidate : found) {
      const auto before = chosen.first(count);
      if (count == chosen.size()) break;
      if (std::none_of(before.begin(), before.end(),
                       [&](const Candidate& other) { return is_same_way(other, candidate); }))
        chosen[count++] = candidate;
    }
    return count;
  }

 private:
  bool is_own_field(ObjectId of, RefLabel label) const noexcept {
    if (label.is_static_field()) return true;
    const ClassId id = s_.class_of[of.value];
    return label.is_instance_field() && id.valid() && id != suspect_.class_id &&
           (s_.catalog.classes[id.value].flags & (kClassPlatform | kClassArray)) == 0;
  }

  // The step that the last such field leads to, and what comes after it. Without one, or where the middle of the path is not
  // known: all that is behind the root.
  std::span<const PathStepResult> behind_the_field() const noexcept {
    const auto steps = suspect_.path.steps;
    for (std::size_t i = steps.size(); i-- > 1;) {
      const bool gap =
          suspect_.path.length > steps.size() && i == std::size_t{suspect_.path.left_out_after} + 1;
      if (gap || is_own_field(steps[i - 1].object, steps[i].label)) return steps.subspan(i);
    }
    return steps;
  }
  ObjectId referrer_of_field() const noexcept {
    return behind_.data() == suspect_.path.steps.data() ? ObjectId{} : (behind_.data() - 1)->object;
  }

  // A thread or a frame's object needs no one else; where a static field is the root, other fields hold the object, too.
  bool is_root_by_itself(std::uint32_t object) const noexcept {
    return suspect_.path.steps.front().object.value == object &&
           s_.roots[suspect_.path.root].kind != RootKind::kStaticField;
  }

  // A CLR keeps the values of static fields in arrays that its handles hold. Each value is a root of its own, so the array is no
  // further holder of it.
  bool is_table_of_statics(std::uint32_t from, std::uint32_t to) const noexcept {
    return input_.reachability.parent[from] == Reachability::kRoot &&
           is_root_of(to, [](RootKind kind) { return kind == RootKind::kStaticField; }) &&
           is_root_of(from, [](RootKind kind) {
             return kind == RootKind::kHandle || kind == RootKind::kPinnedHandle;
           });
  }
  template <class IsKind>
  bool is_root_of(std::uint32_t object, IsKind is_kind) const noexcept {
    return std::any_of(s_.roots.begin(), s_.roots.end(), [&](const RootRecord& root) {
      return root.object.value == object && is_kind(root.kind);
    });
  }

  bool is_behind(ObjectId object) const noexcept {
    return std::any_of(behind_.begin(), behind_.end(),
                       [&](const PathStepResult& step) { return step.object == object; });
  }
  // What lies behind the field refers to itself, and what it alone holds refers back to it. A walk up the parents (follow) would find
  // that as well; a million items that know their list are found by this.
  bool is_from_behind(std::uint32_t object) const noexcept {
    const std::uint32_t at = d_.position[object];
    if (at == ObjectId::kNoneValue) return true;  // not held
    return std::any_of(behind_.begin(), behind_.end(), [&](const PathStepResult& step) {
      const std::uint32_t start = d_.position[step.object.value];
      return at >= start && at < subtree_end(d_, start);
    });
  }

  // One object in two slots of a frame, or in two frames of a thread; static fields that are roots have names.
  bool is_same_root(const RootRecord& a, const RootRecord& b) const noexcept {
    return a.kind == b.kind && a.object == b.object && a.thread == b.thread && a.method == b.method;
  }
  bool is_same_way(const Candidate& a, const Candidate& b) const noexcept {
    if (!a.from.valid() || !b.from.valid())
      return !a.from.valid() && !b.from.valid() && is_same_root(s_.roots[a.root], s_.roots[b.root]);
    return a.field_of == b.field_of && a.field == b.field &&
           (a.field_of.valid() || a.root == b.root);
  }

  void add(Candidate candidate) noexcept {
    if (count_ == candidates_.size() || !follow(candidate)) return;
    candidates_[count_++] = candidate;
  }

  // Up the parents to the root; false where the way passes what lies behind the field, or begins at what lasts shorter.
  bool follow(Candidate& candidate) const noexcept {
    candidate.length = 1;
    if (!candidate.from.valid()) return true;
    const Reachability& reached = input_.reachability;
    std::uint32_t at = candidate.from.value;
    if (reached.strength[at] > suspect_.path.strength) return false;
    note_field(candidate, at, candidate.label);
    for (;; ++candidate.length) {
      if (is_behind(ObjectId{at})) return false;
      const std::uint32_t parent = reached.parent[at];
      if (parent == Reachability::kRoot) break;
      if (!candidate.field_of.valid()) note_field_between(candidate, parent, at);
      at = parent;
    }
    candidate.root = at;
    return lifespan_at(d_, d_.position[at]) <=
           lifespan_at(d_, d_.position[suspect_.path.steps.front().object.value]);
  }
  void note_field(Candidate& candidate, std::uint32_t of, RefLabel label) const noexcept {
    if (!is_own_field(ObjectId{of}, label)) return;
    candidate.field_of = ObjectId{of};
    candidate.field = label;
  }
  void note_field_between(Candidate& candidate, std::uint32_t from,
                          std::uint32_t to) const noexcept {
    for (std::uint32_t i = s_.first_ref[from]; i < s_.first_ref[from + 1]; ++i)
      if (s_.target[i].value == to) {
        note_field(candidate, from, s_.label[i]);
        return;
      }
  }

  const SuspectInput& input_;
  const Snapshot& s_;
  const Dominators& d_;
  const SuspectResult& suspect_;
  std::span<Candidate> candidates_;
  std::size_t count_ = 0;
  const std::span<const PathStepResult> behind_;
};

// To where it joins the suspect's path. Long ones lose their middle.
Result<RootPathResult> path_of(const SuspectInput& input, const Candidate& candidate,
                               Arena& arena) noexcept {
  constexpr std::size_t kHalf = kMaxOtherSteps / 2;
  RootPathResult path;
  path.root = candidate.root;
  if (candidate.from.valid()) {
    HF_TRY(before, root_path(input.references, input.reachability, candidate.from, arena));
    path = before;
  }
  const auto before = path.steps;
  ++path.length;
  const std::size_t kept = std::min<std::size_t>(path.length, kMaxOtherSteps);
  const std::size_t first = kept < path.length ? kHalf : kept - 1;
  HF_TRY(steps, arena.make<PathStepResult>(kept));
  std::copy_n(before.begin(), first, steps.begin());
  std::copy(before.end() - static_cast<std::ptrdiff_t>(kept - 1 - first), before.end(),
            steps.begin() + static_cast<std::ptrdiff_t>(first));
  steps.back() = {candidate.to, candidate.label};
  path.steps = steps;
  path.left_out_after = kept < path.length ? kHalf - 1 : 0;
  return path;
}

struct Chosen {
  std::array<Candidate, kMaxOtherPaths> way;
  std::size_t count = 0;
};

Result<void> choose_ways(const SuspectInput& input, std::span<const SuspectResult> suspects,
                         std::span<Chosen> chosen, Arena& arena,
                         const CancelToken& cancel) noexcept {
  const Snapshot& s = input.references.snapshot();
  HF_TRY(targets, ObjectSet::make(s, arena));
  HF_TRY(candidates, arena.make_filled<Candidate>(suspects.size() * kMaxCandidates, Candidate{}));
  std::array<std::optional<OneSuspect>, kMaxWithOthers> each;
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    // Each thread's value has a way of its own: none of them is another holder of all.
    if (suspects[i].path.length == 0 || suspects[i].threads != 0) continue;
    each[i].emplace(input, suspects[i], candidates.subspan(i * kMaxCandidates, kMaxCandidates));
    each[i]->note_roots();
    for (const PathStepResult& step : each[i]->behind()) targets.insert(s, step.object.value);
  }
  for (std::uint32_t from = 0; from < s.object_count(); ++from) {
    if (from % kCancelStride == 0) HF_CHECK_OK(cancel.check());
    for (std::uint32_t i = s.first_ref[from]; i < s.first_ref[from + 1]; ++i) {
      const std::uint32_t to = s.target[i].value;
      if (!targets.contains(to)) continue;
      for (auto& one : each)
        if (one) one->note_reference(from, to, s.label[i]);
    }
  }
  for (std::size_t i = 0; i < suspects.size(); ++i)
    if (each[i]) chosen[i].count = each[i]->choose(chosen[i].way);
  return {};
}

}  // namespace

Result<void> find_other_paths(const SuspectInput& input, std::span<SuspectResult> suspects,
                              Arena& arena, const CancelToken& cancel) noexcept {
  HF_TRY(chosen, arena.make_filled<Chosen>(suspects.size(), Chosen{}));
  {
    ArenaScope scratch(arena);
    HF_CHECK_OK(choose_ways(input, suspects, chosen, arena, cancel));
  }
  for (std::size_t i = 0; i < suspects.size(); ++i) {
    HF_TRY(paths, arena.make_filled<RootPathResult>(chosen[i].count, RootPathResult{}));
    for (std::size_t w = 0; w < chosen[i].count; ++w) {
      HF_TRY(path, path_of(input, chosen[i].way[w], arena));
      paths[w] = path;
    }
    suspects[i].others = paths;
  }
  return {};
}

}  // namespace holdfast::analysis
