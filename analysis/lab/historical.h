// The historical algorithms, as peers in benchmarks and as a second opinion: Lengauer-Tarjan (simple), Cooper-Harvey-Kennedy.
// Shape:  over the same counted references as compute_dominators, results by object. Lengauer-Tarjan is that of thesis/, simple, 11 words
//         an object, O(m log n). Cooper-Harvey-Kennedy gives up after max_steps walks: it is quadratic on heaps.
// Zone:   offline.   Errors: none; an empty idom when given up.
// Source: Lengauer, Tarjan: A fast algorithm for finding dominators in a flowgraph. Cooper, Harvey, Kennedy: A simple, fast
//         dominance algorithm.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/counted_references.h"

namespace holdfast::analysis::lab {

struct HistoricalDominators {
  std::vector<std::uint32_t> idom;  // as Dominators::idom; empty: given up
  std::vector<std::uint64_t> retained_bytes;
};

HistoricalDominators lengauer_tarjan(const CountedReferences& references, StrengthSet holding);
HistoricalDominators cooper_harvey_kennedy(const CountedReferences& references, StrengthSet holding,
                                           std::uint64_t max_steps);

}  // namespace holdfast::analysis::lab
