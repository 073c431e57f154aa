// Loads a library into a running HotSpot VM, by the protocol of the VM's own tools.
// Why with such care: what makes the VM listen is a SIGQUIT, which ends any process that does not expect it. It is sent only to the very
//      process that has HotSpot in its memory and a handler for it, whose options do not forbid to listen, and that does not listen yet.
// Shape:  a file .attach_pidN in the VM's /tmp (or working directory) and a SIGQUIT have it listen at /tmp/.java_pidN, N being its number
//         as it sees itself; then one connection, one request, one answer. The file is removed in any case. As the VM's own user.
// Zone:   offline.
// Errors: exit code 4, and one line: the option that forbids it, what /tmp lacks, stopped, ended, no answer in time.
// Source: HotSpot, os/linux/attachListener and runtime/os (SIGBREAK); JDK, sun.tools.attach.VirtualMachineImpl: observed, not copied.
#pragma once

#include <string>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

// `library` is a path as the process sees it. To be called with the identity of the process' user.
AttachOutcome load_into_java(const Target& target, const TargetFiles& files,
                             const std::string& library, const std::string& options,
                             const Patience& patience);

}  // namespace holdfast::cli
