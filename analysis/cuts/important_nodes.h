// Important objects: those with the most references, those with the most referrers, and the cuts that free the most.
// Why cuts: a retained size says what would go with an object; a cut says which field to clear for that, and that no other
//      holder is left.
// What a cut is: all references of one object to another (`references` says how many), or the only GC root record of an object. It frees
//      retained(referent) exactly when whatever else refers to the referent lies below it in the dominator tree (a parent pointer
//      of its own content holds nothing). References from objects to their class objects cannot be cut, roots of classes that are
//      never unloaded neither.
// Which are shown: the largest by freed bytes. Of a chain (field -> map -> table) the uppermost alone: a cut below another one is
//      left out unless it frees less than 4/5 of that, or where it goes on through the same field (holder's class, label, referent's
//      class; elements of arrays are one field). The inside of structures of one class (lists, trees) is left out, too, and a
//      field is shown three times at most, so that one map's many entries do not fill the list. Cuts below 1/65,536 of the
//      held bytes are not looked for.
// Shape:  limits.objects rows a list, limits.cuts cuts; equal figures by object id. Degrees count the stored references of held
//         objects that hold; class references are left out. Scratch 4 B + 2 bits an object. O(n + m).
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], introduction (important nodes detection).
#pragma once

#include "analysis/counted_references.h"
#include "analysis/cuts/biconnected.h"
#include "analysis/results.h"

namespace holdfast::analysis {

struct ImportantNodesInput {
  const CountedReferences& references;
  StrengthSet holding;  // as of the dominators
  const Dominators& dominators;
  const Condensation* condensation = nullptr;  // both or none
  const BiconnectedComponents* biconnected = nullptr;
};

struct ImportantNodesLimits {
  std::uint32_t objects = 20;
  std::uint32_t cuts = 20;
};

constexpr std::uint64_t important_nodes_bytes(std::uint64_t objects) noexcept {
  return 4 * objects + objects / 4;
}

Result<ImportantNodes> important_nodes(const ImportantNodesInput& input,
                                       const ImportantNodesLimits& limits, Arena& arena,
                                       const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
