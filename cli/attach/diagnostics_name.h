// The name of the socket at which a .NET runtime listens for tools.
// Shape:  dotnet-diagnostic-PID-KEY-socket: the process' number as it sees itself, and its start as field 22 of /proc/PID/stat has it.
// Zone:   offline.   Errors: none.
// Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platforms/other_process.h"

namespace holdfast::cli {

std::string diagnostics_name(const platforms::OtherProcess& process);
// Is it such a name, of a process that sees itself as `inner_pid`? Its start counts otherwise where the process has a clock of its own.
bool is_diagnostics_name(std::string_view name, std::uint32_t inner_pid);

}  // namespace holdfast::cli
