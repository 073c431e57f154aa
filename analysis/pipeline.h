// The analysis' front, the only header of this folder that a VM adapter may include: from a capture to a report on disk.
// Why: an adapter knows this header alone. The list of passes is passes.cpp.
// Shape:  O(objects + references) but for dominators (almost linear). A pass that does not fit in memory is left out with its
//         reason in the report; the rest still run. Memory: input.arena only.
// Zone:   worker (analysis thread, lowest priority).
// Errors: kCancelled, kIo (detail: errno), kOutOfBudget when not even the smallest report fits; then no report is left behind. A
//         snapshot that was finished before its report could not be published stays: it has the report inside.
#pragma once

#include "common/dump_engine.h"

namespace holdfast::analysis {

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept;

}  // namespace holdfast::analysis
