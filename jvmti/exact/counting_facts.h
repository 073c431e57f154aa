// How large this VM's arrays are, seen from arrays that are made for it.
// Why measured: header and alignment depend on flags (compressed classes and references, compact headers, ObjectAlignmentInBytes), and
//      the standard interface tells the size of any object.
// Shape:  at most kMostElements arrays of each kind, garbage at once.
// Zone:   event (VM init).   Errors: kVm when the VM makes no array or does not tell its size; kUnsupported when sizes make no sense.
#pragma once

#include <jvmti.h>

#include "common/result.h"
#include "jvmti/exact/counting_class.h"

namespace holdfast::jvmti {

Result<CountingFacts> read_counting_facts(jvmtiEnv& env, JNIEnv& jni) noexcept;

}  // namespace holdfast::jvmti
