#include "analysis/root_paths.h"

#include <algorithm>

#include "analysis/filtered_references.h"
#include "analysis/reachability.h"

namespace holdfast::analysis {

namespace {

constexpr std::uint32_t kHalf = kMaxPathSteps / 2;

// The record of a root object that tells most. A thread is what it is, whichever frames have it in a variable, too: what it holds
// in its own fields (the values of its thread locals, above all) is not held by those frames.
std::size_t rank_of(RootKind kind) noexcept {
  if (kind == RootKind::kThread) return 0;
  const auto found = std::find(kRootPreference.begin(), kRootPreference.end(), kind);
  return 1 + static_cast<std::size_t>(found - kRootPreference.begin());
}

std::uint32_t best_root(const Snapshot& snapshot, std::uint32_t object) noexcept {
  std::uint32_t best = 0;
  std::size_t best_rank = kRootPreference.size() + 1;
  for (std::uint32_t r = 0; r < snapshot.roots.size(); ++r) {
    if (snapshot.roots[r].object.value != object) continue;
    const std::size_t rank = rank_of(snapshot.roots[r].kind);
    if (rank < best_rank) {
      best = r;
      best_rank = rank;
    }
  }
  return best;
}

// How `from` refers to `to`, by the strongest of the parallel references that are there; not stored: to its class object.
template <class Keeps>
RefLabel label_between(const Snapshot& s, Keeps keeps, std::uint32_t from,
                       std::uint32_t to) noexcept {
  RefLabel best = special(SpecialRef::kClass);
  Strength best_strength = s.implied_class_object(ObjectId{from}).value == to
                               ? Strength::kStrong
                               : Strength::kUnreachable;
  bool stored = false;
  for (std::uint32_t i = s.first_ref[from]; i < s.first_ref[from + 1]; ++i) {
    if (s.target[i].value != to || !keeps(from, s.label[i])) continue;
    const Strength strength = strength_of(s.label[i]);
    // A field says more than "is an instance of".
    if (strength < best_strength || (!stored && strength == best_strength)) {
      best = s.label[i];
      best_strength = strength;
      stored = true;
    }
  }
  return best;
}

std::uint32_t path_length(const Reachability& reachability, std::uint32_t object) noexcept {
  std::uint32_t length = 1;
  for (std::uint32_t at = object; reachability.parent[at] != Reachability::kRoot;
       at = reachability.parent[at])
    ++length;
  return length;
}

template <class Keeps>
Result<RootPathResult> path_over(const Snapshot& s, Keeps keeps, const Reachability& reachability,
                                 ObjectId object, Arena& arena) noexcept {
  RootPathResult path;
  if (!object.valid() || reachability.parent[object.value] == ObjectId::kNoneValue) return path;
  path.length = path_length(reachability, object.value);
  const std::uint32_t kept = std::min(path.length, kMaxPathSteps);
  HF_TRY(steps, arena.make<PathStepResult>(kept));
  path.left_out_after = path.length > kept ? kHalf - 1 : 0;
  std::uint32_t at = object.value;
  for (std::uint32_t step = path.length; step-- > 0; at = reachability.parent[at]) {
    const std::uint32_t parent = reachability.parent[at];
    if (parent == Reachability::kRoot) path.root = best_root(s, at);
    const bool left_out = path.length > kept && step >= kHalf && step < path.length - kHalf;
    if (left_out) continue;
    const std::uint32_t place = step < kHalf ? step : step - (path.length - kept);
    steps[place] = {ObjectId{at}, parent == Reachability::kRoot
                                      ? RefLabel{}
                                      : label_between(s, keeps, parent, at)};
  }
  path.steps = steps;
  path.strength = reachability.strength[object.value];
  return path;
}

}  // namespace

Result<RootPathResult> root_path(const CountedReferences& references,
                                 const Reachability& reachability, ObjectId object,
                                 Arena& arena) noexcept {
  return path_over(
      references.snapshot(), [](std::uint32_t, RefLabel) { return true; }, reachability, object,
      arena);
}

Result<RootPathResult> root_path(const FilteredReferences& references,
                                 const Reachability& reachability, ObjectId object,
                                 Arena& arena) noexcept {
  return path_over(
      references.snapshot(),
      [&](std::uint32_t from, RefLabel label) { return references.keeps(from, label); },
      reachability, object, arena);
}

Result<std::span<const RootPathResult>> root_paths(const CountedReferences& references,
                                                   const Reachability& reachability,
                                                   std::span<const ObjectId> objects,
                                                   Arena& arena) noexcept {
  HF_TRY(paths, arena.make_filled<RootPathResult>(objects.size(), RootPathResult{}));
  for (std::size_t i = 0; i < objects.size(); ++i) {
    HF_TRY(path, root_path(references, reachability, objects[i], arena));
    paths[i] = path;
  }
  return std::span<const RootPathResult>(paths);
}

}  // namespace holdfast::analysis
