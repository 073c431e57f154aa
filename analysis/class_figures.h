// What each class has in the heap, and what loaders and packages, which are sets of classes, have.
// Shape:  ClassFigures[class count + 1] (48 B each), the last row for objects of unknown class. O(n).
//         sum of instances == held objects; sum of shallow_bytes == held bytes; unheld figures add the rest of the graph.
// Zone:   worker, offline.   Errors: kOutOfBudget, kCancelled.
#pragma once

#include <span>

#include "analysis/results.h"
#include "common/arena.h"
#include "common/cancel.h"
#include "common/vm_adapter.h"

namespace holdfast::analysis {

// `with_class_objects`: what a class retains includes its class object (MAT's histogram, rule 13).
Result<std::span<const ClassFigures>> class_figures(const Snapshot& snapshot,
                                                    const Dominators& dominators, Arena& arena,
                                                    const CancelToken& cancel,
                                                    bool with_class_objects = false) noexcept;
// Where dominators were left out: instances and shallow sizes alone, by strength.
Result<std::span<const ClassFigures>> class_counts(const Snapshot& snapshot,
                                                   const Reachability& reachability,
                                                   std::uint32_t holding_set, Arena& arena,
                                                   const CancelToken& cancel) noexcept;
// Without a graph: what the histogram counted, unreachable objects included.
Result<std::span<const ClassFigures>> class_figures_of(std::span<const ClassCount> histogram,
                                                       Arena& arena) noexcept;

inline constexpr std::uint32_t kNoSet = 0xFFFFFFFFu;
// Figures of sets of classes: class c belongs to set_of_class[c] (kNoSet: to none). `classes` may lack retained sizes; with
// empty dominators the sets' retained sizes are 0 as well.
Result<std::span<SetFigures>> set_figures(const Snapshot& snapshot, const Dominators& dominators,
                                          std::span<const ClassFigures> classes,
                                          std::span<const std::uint32_t> set_of_class,
                                          std::size_t sets, Arena& arena,
                                          const CancelToken& cancel) noexcept;
Result<std::span<const SetFigures>> loader_figures(const Snapshot& snapshot,
                                                   const Dominators& dominators,
                                                   std::span<const ClassFigures> classes,
                                                   Arena& arena,
                                                   const CancelToken& cancel) noexcept;

}  // namespace holdfast::analysis
