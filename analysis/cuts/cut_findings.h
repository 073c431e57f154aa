// What a report shows of how the graph hangs together: components, articulation points, and the cuts that free the most.
// Shape:  CutRoom is what stays; it is made before the condensation, so that all behind it can be given back. Scratch: what
//         biconnected.h, dominating_points.h and important_nodes.h take, one after the other, over n / 4 B of results.
// Zone:   worker, offline, child.   Errors: kOutOfBudget, kCancelled; the arena is then as before.
// Source: [Thesis], sections 1.3, 4.4, 4.6 and 4.8.
#pragma once

#include "analysis/cuts/important_nodes.h"

namespace holdfast::analysis {

struct CutRoom {
  std::span<ImportantObject> most_references, most_referrers;
  std::span<Cut> cuts;
  static Result<CutRoom> make(const ImportantNodesLimits& limits, Arena& arena) noexcept;
};

Result<CutFindings> find_cuts(const CountedReferences& references, StrengthSet holding,
                              const Dominators& dominators, const Condensation& condensation,
                              const CutRoom& room, Arena& arena,
                              const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
