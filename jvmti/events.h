// The VM's events, as C callbacks that find their agent and hand over: no work, no lock of ours held across a VM call.
// Why the agent comes from the environment's storage: no global, so that tests run several VMs in one process.
// Zone:   event.   Errors: none; an event without an agent is ignored.
#pragma once

#include <jvmti.h>

namespace holdfast::jvmti {

jvmtiEventCallbacks event_callbacks() noexcept;

}  // namespace holdfast::jvmti
