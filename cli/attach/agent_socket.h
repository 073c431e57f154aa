// Finds the agent's control socket among a process' sockets, and connects to it.
// Shape:  process_sockets.h, with the names that agents give theirs.
// Zone:   offline.
// Errors: `presence` and, where it is not kConnected, one line and its exit code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/attach/attach_outcome.h"
#include "cli/attach/target.h"

namespace holdfast::cli {

enum class AgentPresence : std::uint8_t {
  kConnected,
  kNoAgent,       // no such socket: nothing of ours listens in this process
  kNotPermitted,  // another user's process, or a protected one
  kGone,          // no such process, it has ended, or its number means nothing here
  kUnreachable,   // the socket is there, but nobody answers
};

struct AgentSocket {
  AgentPresence presence = AgentPresence::kNoAgent;
  platforms::Descriptor stream;  // non-blocking
  std::uint32_t inner_pid = 0;   // the process' own number, as its agent will say it
  AttachOutcome refusal;
};

AgentSocket connect_to_agent_of(const platforms::OtherProcess& process);

// The paths, as they were bound, of the control sockets that this process listens at. errno.
int find_agent_sockets(std::uint32_t pid, std::vector<std::string>& paths);

}  // namespace holdfast::cli
