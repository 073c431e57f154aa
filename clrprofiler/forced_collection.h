// A blocking collection of the whole heap, made by us: during it the runtime tells its heap, in events or in calls.
// Why tried again: right after the start of the runtime it is not ready to collect.
// Shape:  one call of ForceGC, which returns when the collection and all that it tells are over; retried for kPatienceNs.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC; never in a suspension.
// Errors: kVm with the HRESULT.
#pragma once

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

Result<void> force_collection(ProfilerInfo& info) noexcept;

}  // namespace holdfast::clr
