// How firmly every object is held, and by which neighbour: breadth-first from the GC roots, strongest level first.
// Why levels: the strongest path decides, so all that strong references reach comes first, then what soft ones add, and so on.
//      Parents come from the same search, so a walk up them is a shortest path among those that use the strongest references.
// Shape:  strength(w) == min over paths of the weakest reference on the path; with d the number of objects on the path,
//         d(w) == 1 + min of d(u) over references u -> w of strength t with max(strength(u), t) == strength(w).
//         Among equally short paths the root kind that tells more wins (kRootPreference); a root explains only what
//         none of a longer lifespan holds strongly. Results 5 B an object; scratch 4 B an
//         object + 8 B per object that has a reference which is not strong. O(n + m).
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
// Source: java.lang.ref package documentation (reachability).
#pragma once

#include <algorithm>
#include <array>

#include "analysis/counted_references.h"
#include "analysis/results.h"

namespace holdfast::analysis {

class FilteredReferences;

// The longest lifespans first. A static field (of a system class, too) names its culprit, a thread or a frame nearly so; the VM's own
// handles say little, and what may be none says least.
inline constexpr std::array<RootKind, kRootKindCount> kRootPreference = {
    RootKind::kSystemClass, RootKind::kStaticField, RootKind::kThread,
    RootKind::kJniGlobal,   RootKind::kHandle,      RootKind::kPinnedHandle,
    RootKind::kFinalizer,   RootKind::kStackLocal,  RootKind::kJniLocal,
    RootKind::kMonitor,     RootKind::kOther,       RootKind::kPossibleStackSlot};
static_assert(std::is_sorted(kRootPreference.begin(), kRootPreference.end(),
                             [](RootKind a, RootKind b) {
                               return lifespan_of(a) < lifespan_of(b);
                             }));

constexpr std::uint64_t reachability_bytes(std::uint64_t objects,
                                           std::uint64_t mixed_objects) noexcept {
  return objects * (1 + 4 + 4) + mixed_objects * 8;
}

Result<Reachability> find_reachability(const CountedReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept;
// The same as if the references that are left out did not exist.
Result<Reachability> find_reachability(const FilteredReferences& references, Arena& arena,
                                       const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
