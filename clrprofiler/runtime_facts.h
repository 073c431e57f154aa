// Who the runtime is: name, version, application, collector, limit of the heap. Read once, at load.
// Shape:  fixed texts, cut to kMaxFactText; the application is named after its assembly or executable: "shop" of "dotnet shop.dll".
// Zone:   load (event).   Errors: none; what is unknown stays empty, kUnknownBytes or 0.
// Source: GetRuntimeInformation; the runtime's settings DOTNET_gcServer, DOTNET_gcConcurrent, DOTNET_GCHeapHardLimit and
//         DOTNET_GCHeapHardLimitPercent; in a container 75 % of its limit are the heap's, and 20 MB at least.
#pragma once

#include <string_view>

#include "clrprofiler/profiler_info.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

VmFacts read_runtime_facts(ProfilerInfo& info) noexcept;

// Of this process; before there is a runtime to ask.
void read_application_name(char (&out)[kMaxFactText]) noexcept;
// `arguments`: as the system keeps them, separated by NUL.
std::string_view application_name_of(std::string_view arguments) noexcept;

// The most that the collector's heap may come to; platforms::kUnknownBytes: nothing but the machine's memory bounds it.
std::uint64_t heap_limit_bytes() noexcept;

// A pure function of what the environment and the control group say; nullptr: not set. Numbers are hexadecimal.
std::uint64_t heap_limit_bytes(const char* hard_limit, const char* hard_limit_percent,
                               std::uint64_t physical_bytes, std::uint64_t cgroup_bytes) noexcept;

}  // namespace holdfast::clr
