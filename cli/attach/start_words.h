// How a program is started with the agent in it, as messages say it to those who cannot attach.
// Shape:  what goes after "start it with".   Zone: offline.   Errors: none.
// Source: .NET documentation, "Setting up a profiling environment"; the ';' at the end: run on .NET 9 and 10.
#pragma once

#include <string>

#include "cli/attach/target.h"

namespace holdfast::cli {

inline constexpr const char* kClassIdText = "{D5B1C4E6-5B0E-4E0B-9C4C-7E1F0A6B7A11}";

inline std::string load_at_start_text(VmKind vm) {
  if (vm != VmKind::kCoreClr) return "-agentpath:/path/to/libholdfast.so";
  return std::string("CORECLR_ENABLE_PROFILING=1 CORECLR_PROFILER=") + kClassIdText +
         " CORECLR_PROFILER_PATH=/path/to/libholdfast.so";
}

// In .NET, beside somebody's profiler.
inline std::string load_beside_text() {
  return std::string(
             "CORECLR_ENABLE_NOTIFICATION_PROFILERS=1"
             " CORECLR_NOTIFICATION_PROFILERS='/path/to/libholdfast.so=") +
         kClassIdText + ";'";
}

}  // namespace holdfast::cli
