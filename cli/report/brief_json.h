// A report in at most kBriefBytes: for programs that cannot take all of it, and for assistants.
// Why bounded: a reader with a window of so many words must be able to take any report whole; the rest is asked for by the
//      commands in "next".
// Shape:  schema_version 1, docs/reference/json-report.md. Names and sentences are shortened in their middle, lists cut; where that is not enough
//         everything is halved until it is. O(report).   Zone: offline.   Errors: none.
#pragma once

#include <string>

#include "cli/report/next_steps.h"

namespace holdfast::cli {

inline constexpr std::size_t kBriefBytes = 64'000;

std::string brief_json(const ReportView& view, const ReportPlace& place);

// `text` in at most `bytes` bytes (4 at least), its middle replaced by an ellipsis, no code point cut.
std::string shortened_to_bytes(std::string_view text, std::size_t bytes);

}  // namespace holdfast::cli
