// The analysis' front, with snapshot_stream.h all of this folder that a VM adapter may include: from a capture to a report on disk.
// Why: an adapter knows these two alone. The list of passes is passes.cpp.
// Shape:  O(objects + references) but for dominators (almost linear). A pass that does not fit in memory is left out with its
//         reason in the report; the rest still run. Memory: input.arena only.
// Zone:   worker (analysis thread, lowest priority), child.
// Errors: kCancelled, kIo (detail: errno), kOutOfBudget when not even the smallest report fits; then no report is left behind. A
//         snapshot that was finished before its report could not be published stays: it has the report inside.
#pragma once

#include "analysis/snapshot_stream.h"
#include "common/dump_engine.h"

namespace holdfast::analysis {

Result<AnalysisOutcome> analyse_and_report(AnalysisInput& input) noexcept;

// The same for the rung "frozen, written": a capture without a graph, with a histogram and a catalog, whose graph `source` streams
// into a snapshot file beside the report. The report is inside as well, and says what to do with it; where the snapshot cannot be
// kept it says why.
Result<AnalysisOutcome> stream_and_report(AnalysisInput& input, const SnapshotStreamFacts& facts,
                                          const GraphSource& source) noexcept;

}  // namespace holdfast::analysis
