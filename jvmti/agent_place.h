// The one agent of this process: its place, who is inside it at the moment, and how it leaves a VM that runs on.
// Why a place: it is never given back. At exit() a thread of ours may still be inside; and a VM's callback may have begun just
//      before the agent was taken out, so whoever goes in counts itself first (AgentVisit), and leaving waits until nobody is in.
// Shape:  empty -> settled -> leaving -> empty; from the VM's death on it stays as it is.
// Zone:   event (load, attach, VM callbacks, exit). begin_leaving(): worker; what follows runs on a thread of its own.
// Errors: settle() answers nullptr when the options are wrong or the VM refuses: load() has said why. begin_leaving() answers
//         false when the agent is leaving already or the system gives no thread.
#pragma once

#include <jvmti.h>

#include <string_view>

#include "jvmti/agent.h"

namespace holdfast::jvmti {

// While one lives, the agent is not taken away.
class AgentVisit {
 public:
  AgentVisit() noexcept;
  ~AgentVisit();
  AgentVisit(const AgentVisit&) = delete;
  AgentVisit& operator=(const AgentVisit&) = delete;
};

// Hold an AgentVisit; nullptr: nobody is settled, or it is leaving.
Agent* settled_agent() noexcept;
Agent* settle_agent(JavaVM& vm, std::string_view options, const AgentTools& tools) noexcept;
bool begin_leaving() noexcept;
// Until nobody is settled and nobody is leaving. False: not before the deadline (monotonic).
bool wait_place_free(std::uint64_t deadline_ns) noexcept;

void forget_agent_for_test() noexcept;

}  // namespace holdfast::jvmti
