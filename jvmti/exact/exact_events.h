// The doors through which the VM comes to exact counting: two events, and the natives of the counting class.
// Why apart: each finds its agent anew, since one may have left; then a native answers what does no harm.
// Zone:   event.   Errors: none.
#pragma once

#include <jvmti.h>

#include <span>

namespace holdfast::jvmti {

jvmtiEventCallbacks exact_callbacks() noexcept;
std::span<const JNINativeMethod> counting_natives() noexcept;

}  // namespace holdfast::jvmti
