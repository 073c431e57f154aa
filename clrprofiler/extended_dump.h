// An extended dump by what the runtime itself tells of its heap, in events or in calls: one collection, during which the heap is written
// down; the rest afterwards.
// Why this order: what needs names or memory can wait until the application runs again; in between there is one call of the runtime.
// Shape:  a graph where it fits; else, or where counting is all that was asked for, the histogram of the same walk, and a note says why.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC. .NET 5 and later by
//         events (heap_session.h), before that by calls (object_walk.h).
// Errors: the runtime's; kOutOfBudget when not even the recording's tables fit; kRefused when no walk came, with a detail where
//         a note says why; kDeadline when the collection did not come or did not end in time; kInconsistent when types were unloaded
//         before their names were known.
#pragma once

#include "clrprofiler/ages/age_recorder.h"
#include "clrprofiler/heap_session.h"
#include "clrprofiler/profiler_info.h"
#include "clrprofiler/settled_contexts.h"
#include "common/options.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

// What of the runtime one dump needs, and the next one again.
struct DumpTools {
  ProfilerInfo& info;
  const Options& options;  // whose triggers are listened to meanwhile
  ModuleGate& gate;
  ForcedCollection& collection;
  HeapSession& session;
  SettledContexts& contexts;    // where the heap is told in events
  AgeRecorder* ages = nullptr;  // nullptr: nobody wants ages
};

inline constexpr std::int64_t kReasonWasGiven = 1;  // of kRefused, where a note says why

Result<void> take_extended_dump(const DumpTools& tools, const CapturePlan& plan,
                                CaptureMemory& memory, Capture& out, Notes& notes) noexcept;

}  // namespace holdfast::clr
