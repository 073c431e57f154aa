// The place of the one agent of this process, as a Java VM's doors and events see it (common/agent_place.h).
// Shape:  settle_agent() at load; AgentVisit around every use of settled_agent(); begin_leaving() at a detach.
// Zone:   event; begin_leaving(): worker.
// Errors: settle_agent() answers nullptr when the options are wrong or the VM refuses: load() has said why.
#pragma once

#include <jvmti.h>

#include <string_view>

#include "common/agent_place.h"
#include "jvmti/agent.h"

namespace holdfast::jvmti {

// While one lives, the agent is not taken away.
class AgentVisit {
 public:
  AgentVisit() noexcept;

 private:
  AgentPlace<Agent>::Visit visit_;
};

// Hold an AgentVisit; nullptr: nobody is settled, or it is leaving.
Agent* settled_agent() noexcept;
Agent* settle_agent(JavaVM& vm, std::string_view options, const AgentTools& tools) noexcept;
bool begin_leaving() noexcept;
// Until nobody is settled and nobody is leaving. False: not before the deadline (monotonic).
bool wait_place_free(std::uint64_t deadline_ns) noexcept;

void forget_agent_for_test() noexcept;

}  // namespace holdfast::jvmti
