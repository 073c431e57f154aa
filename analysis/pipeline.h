// The analysis' front, with snapshot_stream.h and graph_window.h all of this folder that a VM adapter may include: from a capture to a report on disk.
// Why: an adapter knows these three alone. The list of passes is passes.cpp.
// Shape:  O(objects + references) but for dominators (almost linear). A pass that does not fit in memory is left out with its
//         reason in the report; the rest still run. Memory: input.arena only.
// Zone:   analyse_and_report, stream_and_report: worker (analysis thread, low priority), or child: it reaches no lock, no allocation and no
//         thread-local, only raw system calls, which tests/shipped/child_zone_test.py checks. tidy_reports: worker.
//         A basic report is published before the optional passes where these may take long, and replaced by the full one. What
//         comes between, however it ends, leaves the basic one: the outcome then is no error, and says what it misses and why.
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

// After it, whatever came of it: removes what processes that are gone left half-written, and the oldest reports beyond max-dumps.
// Why apart: to list a directory libc allocates, which a child must not.
void tidy_reports(const AnalysisInput& input) noexcept;

}  // namespace holdfast::analysis
