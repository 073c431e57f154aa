// The socket at which a .NET runtime listens for tools: found, connected to, or why there is none.
// Shape:  diagnostics_name.h, in the process' TMPDIR. It is looked for among the sockets that the process holds (process_sockets.h): what an
//         earlier process left, or a process of the same number in another container that shares the directory, is never taken
//         for it. A runtime listens some 5 ms after its process has begun.
// Zone:   offline.
// Errors: exit code 4, and one line: the setting that forbids it, a TMPDIR that will not do, a file that somebody removed.
// Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md; run on .NET 10.
#pragma once

#include <vector>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/process_sockets.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

struct DiagnosticsEndpoint {
  std::vector<SocketPlace> places;  // one, unless somebody plays tricks
  AttachOutcome refusal;
};
// Before an identity is borrowed.
DiagnosticsEndpoint find_diagnostics(const Target& target, const TargetFiles& files,
                                     const Patience& patience);

struct DiagnosticsStream {
  platforms::Descriptor stream;
  AttachOutcome refusal;
};
// With the identity of the process' user.
DiagnosticsStream connect_to_diagnostics(const Target& target, const DiagnosticsEndpoint& endpoint,
                                         const Patience& patience);

}  // namespace holdfast::cli
