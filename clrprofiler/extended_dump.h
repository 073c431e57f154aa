// An extended dump by what the runtime itself tells of its heap, in events or in calls: one collection, during which the heap is written
// down; the rest afterwards.
// Why this order: what needs names or memory can wait until the application runs again; in between there is one call of the runtime.
// Shape:  a graph where it fits; else, or where counting is all that was asked for, the histogram of the same walk, and a note says why.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC. .NET 5 and later by
//         events (heap_session.h), before that by calls (object_walk.h).
// Errors: the runtime's; kOutOfBudget when not even the recording's tables fit; kRefused when no walk came, or may come (a note says why); kInconsistent when types
//         were unloaded before their names were known.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "clrprofiler/unload_gate.h"
#include "common/options.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

// `options`: whose triggers are listened to meanwhile.
Result<void> take_extended_dump(ProfilerInfo& info, const Options& options, const UnloadGate& gate,
                                const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                Notes& notes) noexcept;

}  // namespace holdfast::clr
