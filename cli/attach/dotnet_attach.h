// Loads a library into a running .NET process, by the protocol of the runtime's own tools.
// Shape:  one connection to the runtime's diagnostics socket, one request (AttachProfiler with our class id, the library's path and the
//         options), one answer, which comes when the agent has begun or refused. No signal, no file.
//         A runtime that starts is asked again until it takes profilers.
// Zone:   offline.
// Errors: exit code 4, and one line: another profiler is there, what keeps the runtime from it, stopped, ended, no answer in time.
//         agent_code 1: our own agent is there already.
// Source: as diagnostics_protocol.h.
#pragma once

#include <string>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/diagnostics_socket.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

// `library` is a path as the process sees it. To be called with the identity of the process' user.
AttachOutcome load_into_dotnet(const Target& target, const DiagnosticsEndpoint& endpoint,
                               const std::string& library, const std::string& options,
                               const Patience& patience);

}  // namespace holdfast::cli
