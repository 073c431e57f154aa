// Where the heap lies that is never collected: literals, types, what class initializers keep for ever.
// Zone:   capture.   Errors: kUnsupported before .NET 8; kVm; kTooMany; the arena's.
#pragma once

#include <span>

#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/profiler_info.h"
#include "common/arena.h"

namespace holdfast::clr {

Result<std::span<AddressRange>> read_frozen_bounds(ProfilerInfo& info, Arena& arena) noexcept;

}  // namespace holdfast::clr
