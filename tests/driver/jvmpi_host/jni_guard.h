// Watches the JNI functions that allocate or load: a profiler must not call them where a real VM has its heap locked.
// Shape:  JVMTI's function table; all other threads, and this one elsewhere, notice nothing.
// Zone:   tests; after the VM's start.   Errors: see check_allocation().
#pragma once

namespace holdfast::jvmpi_host {

void guard_jni();

}  // namespace holdfast::jvmpi_host
