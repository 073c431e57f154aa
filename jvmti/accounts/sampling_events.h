// The events of the sampling environment, as C callbacks that find their sampler and hand over.
// Zone:   event; ObjectFree at a safepoint or on a thread of the VM's own: nothing of the VM is called there but what every event may call.
// Errors: none; an event without a sampler is ignored.
#pragma once

#include <jvmti.h>

namespace holdfast::jvmti {

jvmtiEventCallbacks sampling_callbacks() noexcept;

}  // namespace holdfast::jvmti
