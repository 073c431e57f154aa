// The JavaVM that the profiler is given: it answers JVMPI's versions, everything else is the real VM's.
// Shape:  one, for the process's life.
// Zone:   tests, any thread.   Errors: the real VM's.
#pragma once

#include <jni.h>

namespace holdfast::jvmpi_host {

JavaVM* proxy_vm();

}  // namespace holdfast::jvmpi_host
