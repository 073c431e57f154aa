// The heap callback that marks what the VM itself holds, and follows nothing.
// Zone:   stopped.   Errors: none.
#pragma once

#include <jvmti.h>

namespace holdfast::jvmti {

inline constexpr jlong kVmRootTag = 1;

jint JNICALL tag_vm_root_stopped(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo* info,
                                 jlong class_tag, jlong referrer_class_tag, jlong shallow_bytes,
                                 jlong* tag, jlong* referrer_tag, jint length,
                                 void* state) noexcept;

}  // namespace holdfast::jvmti
