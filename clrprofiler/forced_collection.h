// One blocking collection of the whole heap, asked for by us.
// Zone:   capture, with the application running: in a suspension of ours it would never end.   Errors: kVm with the HRESULT.
#pragma once

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

Result<void> force_collection(ProfilerInfo& info) noexcept;

}  // namespace holdfast::clr
