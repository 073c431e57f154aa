// Raw monitors: recursive, owned by threads, made of the standard library's.
// Shape:  a pointer each; a monitor that was destroyed is known no more.
// Zone:   tests, any thread that the VM knows.   Errors: use by who does not own it, or of what is no monitor, is forbidden.
#pragma once

#include "jvmpi/abi/jvmpi.h"

namespace holdfast::jvmpi_host {

jvmpi::JVMPI_RawMonitor create_monitor();
void enter_monitor(jvmpi::JVMPI_RawMonitor monitor);
void exit_monitor(jvmpi::JVMPI_RawMonitor monitor);
void wait_on_monitor(jvmpi::JVMPI_RawMonitor monitor, jlong ms);  // 0: for ever
void notify_monitor(jvmpi::JVMPI_RawMonitor monitor);
void destroy_monitor(jvmpi::JVMPI_RawMonitor monitor);

}  // namespace holdfast::jvmpi_host
