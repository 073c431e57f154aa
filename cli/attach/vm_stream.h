// Bytes to a VM and back, over the local socket at which it listens.
// Shape:  a connected, non-blocking stream; waits in short steps, so that the end of patience and Ctrl-C are noticed.
// Zone:   offline.
// Errors: errno, 0 when it worked, EAGAIN when patience was over; broken_text() makes the line and the exit code of it.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/patience.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

int send_to_vm(int stream, std::string_view request, const Patience& patience);

using IsWhole = std::function<bool(std::string_view reply)>;
// Until the answer is whole, or the VM closes; what is longer than `most` is cut.
int receive_from_vm(int stream, std::string& reply, std::size_t most, const IsWhole& is_whole,
                    const Patience& patience);

// One request, one answer. A VM that refuses may close before it has read: its answer counts, even an empty one.
int ask_vm(int stream, std::string_view request, std::string& reply, std::size_t most,
           const IsWhole& is_whole, const Patience& patience);

AttachOutcome broken_text(const platforms::OtherProcess& process, int error);
// A process that ends closes its connections a little before it is gone.
bool is_ending(const platforms::OtherProcess& process, const Patience& patience);

}  // namespace holdfast::cli
