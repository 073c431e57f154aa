// A simple dump without a collection: the runtime suspended, every object of the heap counted by class, names afterwards.
// Shape:  one pass over the heap, unreachable objects included. Memory for kMostClasses classes, or fewer where memory= is small.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC. .NET 9 and later.
// Errors: the runtime's; kOutOfBudget when not even kLeastClasses fit; kInconsistent when types were unloaded.
#pragma once

#include "clrprofiler/ages/age_recorder.h"
#include "clrprofiler/module_gate.h"
#include "clrprofiler/profiler_info.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

inline constexpr std::uint32_t kMostClasses = 1u << 16;
inline constexpr std::uint32_t kLeastClasses = 1u << 10;

struct CountTools {
  ProfilerInfo& info;
  ModuleGate& gate;
  AgeRecorder* ages = nullptr;  // nullptr: nobody wants ages
};

Result<void> take_simple_dump(const CountTools& tools, CaptureMemory& memory, Capture& out,
                              Notes& notes) noexcept;

}  // namespace holdfast::clr
