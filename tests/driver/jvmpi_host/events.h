// Events that come by themselves: the VM's start and end, a request for a dump of data, collections.
// Shape:  one switch an event, read without a lock: collections are told while the VM stands still. The figures of GC_FINISH are zero,
//         JVMTI tells none there. While "GC is off" HotSpot's collections are not told: a VM of JVMPI has none.
// Zone:   tests, the VM's callbacks.   Errors: what JVMPI answers.
#pragma once

#include "jvmpi/abi/jvmpi.h"

namespace holdfast::jvmpi_host {

jint set_event(jint type, bool on);

// Of JVMTI; false: refused.
bool hear_vm();

}  // namespace holdfast::jvmpi_host
