// All passes of one dump: what the findings of a report come from. passes.cpp is the list, in order.
// Shape:  O(objects + references) but for dominators (almost linear). A pass that does not fit in memory is left out with its
//         reason in findings.passes; the rest still run. Results and scratch: input.arena only.
// Zone:   worker, offline.
// Errors: kCancelled.
#pragma once

#include "analysis/results.h"
#include "common/dump_engine.h"

namespace holdfast::analysis {

Result<void> run_passes(AnalysisInput& input, Findings& findings) noexcept;

}  // namespace holdfast::analysis
