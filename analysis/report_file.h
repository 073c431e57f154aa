// Where a finished report goes: its name by the pattern of file=, complete or absent, and older ones beyond max-dumps gone.
// Why the name first: the report holds its own number (%n), so a free name is found before the report is built.
// Shape:  a number is taken upwards until the name is free; a pattern without %n gets "-2", "-3" ... before its ending.
//         Only files that begin with the pattern's constant part and end alike count for max-dumps.
// Zone:   worker.
// Errors: kBadOption (the pattern), kExists (no free name), kIo (detail: errno); no file is left behind.
#pragma once

#include <cstddef>
#include <span>

#include "common/dump_engine.h"
#include "common/file_name.h"

namespace holdfast::analysis {

// Moves input.record.sequence on to the first number whose name is free.
Result<FileName> choose_report_name(AnalysisInput& input) noexcept;
Result<void> publish_report(const AnalysisInput& input, const FileName& name,
                            std::span<const std::byte> image, AnalysisOutcome& outcome) noexcept;
// Removes what processes that are gone left half-written, and the oldest reports beyond max-dumps.
void tidy_directory(const AnalysisInput& input) noexcept;

}  // namespace holdfast::analysis
