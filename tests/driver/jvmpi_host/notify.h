// Delivers events to the profiler.
// Shape:  NotifyEvent runs on the calling thread; what was asked for has its flag.
// Zone:   tests; without host_lock().   Errors: a profiler without NotifyEvent is forbidden to ask.
#pragma once

#include "jvmpi/abi/jvmpi.h"

namespace holdfast::jvmpi_host {

// The one of this VM.
jvmpi::JVMPI_Interface& profiler_interface();

void notify(jvmpi::JVMPI_Event& event);
void answer_request(jvmpi::JVMPI_Event& event);

}  // namespace holdfast::jvmpi_host
