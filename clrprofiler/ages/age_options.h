// What of ages= this runtime and this memory can do; the rest is said in one line and taken out of the options.
// Zone:   load.   Errors: none.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "common/options.h"

namespace holdfast::clr {

void fit_ages(const ProfilerInfo& info, Options& options) noexcept;

}  // namespace holdfast::clr
