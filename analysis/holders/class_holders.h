// Who holds the instances of a class: the places that refer to them, by class and field of the referrer, and GC roots by kind.
// Why places and not paths: "12,000 references of 1 HashMap$Node[]" tells at once what a path to one of 12,000 instances hides.
// Shape:  the classes that a report lists first and those of the suspects, the places of each with the most references first.
//         For each class: references == sum over its places, listed or not, + unplaced_references; so with bytes. References of held
//         objects count, weak ones too (the label tells); those that are implied from objects to their class objects do not. An object
//         may be referred to more than once, so bytes may be more than the class has. A place's references come from `referrers`
//         objects; GC roots are their own referrers. O(references + roots), memory read forward.
//         Results 56 B a class + 32 B for each place that may be listed; scratch 2 B an object, 4 to 8 B a class, 32 B a slot
//         (holder_table.h), 4 MB of those at most. Places that find no slot are not lost: their references are in unplaced_references.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
#pragma once

#include "analysis/counted_references.h"
#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"

namespace holdfast::analysis {

struct HolderLimits {
  std::uint32_t classes = 600;  // besides those of suspects
  std::uint32_t places = 5;     // of a class
  std::uint32_t slots = 1u << 17;
};

struct HolderQuestion {
  const Snapshot& snapshot;
  // Who is held: by dominators, or where these were left out by reachability.
  const Dominators& dominators;
  const Reachability& reachability;
  StrengthSet holding = kStrongOnly;
  std::span<const ClassFigures> classes;
  std::span<const SuspectResult> suspects;
};

Result<HolderFindings> find_holders(const HolderQuestion& question, const HolderLimits& limits,
                                    Arena& arena, const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
