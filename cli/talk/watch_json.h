// A sample of a watch as one JSON object.
// Shape:  schema_version 1; changes are null in a first sample; `holders` where they are given (HolderWatch::changed_json). On one line for streams.   Zone: offline.   Errors: none.
#pragma once

#include <string>

#include "cli/talk/live_table.h"

namespace holdfast::cli {

std::string sample_json(const WatchState& state, const WatchedClasses& classes,
                        const FrameOptions& options, bool one_line, const Json* holders = nullptr);

}  // namespace holdfast::cli
