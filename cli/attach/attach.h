// The way to the agent in a running process: to the one that is there, or to one that is loaded now.
// Shape:  looks at /proc, attaches where it must, waits for the agent's control socket. Our own SIGINT, SIGTERM, SIGHUP and SIGQUIT are held
//         back meanwhile, so that nothing is left in the process' file system; they then arrive.
// Zone:   offline; a command with one thread (root borrows the identity of the process' user for a while).
// Errors: presence and refusal of agent_socket.h. Exit code 2: no such process or library; 3: the library is none; 4: everything that
//         the process, its VM or the system refuses.
#pragma once

#include <cstdint>
#include <string>

#include "cli/attach/agent_socket.h"
#include "cli/attach/attach_outcome.h"

namespace holdfast::cli {

// A VM at a long safepoint answers when that is over; people wait no longer than this, and the VM's own tools do neither.
inline constexpr std::uint64_t kAttachPatienceNs = 10'000'000'000;

struct AttachWishes {
  std::string library;                            // empty: choose_library's
  std::string options;                            // the agent's, as after -agentpath:LIBRARY=
  std::uint64_t patience_ns = kAttachPatienceNs;  // for all of it
};

// The agent that is there already.
AgentSocket connect_to_agent(std::uint32_t pid);
// The same, after loading the agent into the process if none listens in it.
AgentSocket ensure_agent(std::uint32_t pid, const AttachWishes& wishes);
// Only loads it, whether or not it is there: a VM hands the options to an agent that it has.
AttachOutcome load_agent(std::uint32_t pid, const AttachWishes& wishes);

}  // namespace holdfast::cli
