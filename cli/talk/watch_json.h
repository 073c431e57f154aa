// A sample of a watch as one JSON object.
// Shape:  schema_version 1; changes are null in a first sample; `holders` is there where it was asked for, when something of it changed. On one line for streams.   Zone: offline.   Errors: none.
#pragma once

#include <string>

#include "cli/talk/live_table.h"

namespace holdfast::cli {

std::string sample_json(WatchState& state, const WatchedClasses& classes,
                        const FrameOptions& options, bool one_line);

}  // namespace holdfast::cli
