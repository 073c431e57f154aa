// Whether this process has an agent already: what the three entry points (declared by jvmti.h) decide on.
// Zone:   event (load, attach).   Errors: Agent_OnLoad always answers JNI_OK, so that the application starts.
#pragma once

namespace holdfast::jvmti {

class Agent;
Agent* loaded_agent() noexcept;
void forget_agent_for_test() noexcept;

}  // namespace holdfast::jvmti
