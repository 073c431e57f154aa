// The doors through which the VM comes to exact counting: two events, and the natives of the counting class.
// Why apart: each finds its agent anew, since one may have left; then a native answers what does no harm.
// Why the natives are exported (Java_java_lang_HoldfastCounts_…): the VM looks for them in the libraries of its agents, and says nothing;
//      for RegisterNatives on a class of java.base it prints a warning.
// Zone:   event.   Errors: none.
#pragma once

#include <jvmti.h>

namespace holdfast::jvmti {

jvmtiEventCallbacks exact_callbacks() noexcept;

}  // namespace holdfast::jvmti
