#include "jvmti/hotspot/vm_roots_stopped.h"

namespace holdfast::jvmti {

jint JNICALL tag_vm_root_stopped(jvmtiHeapReferenceKind kind,
                                 const jvmtiHeapReferenceInfo* /*info*/, jlong /*class_tag*/,
                                 jlong /*referrer_class_tag*/, jlong /*shallow_bytes*/, jlong* tag,
                                 jlong* referrer_tag, jint /*length*/, void* /*state*/) noexcept {
  if (referrer_tag != nullptr) return JVMTI_VISIT_ABORT;  // all roots are told
  if (kind == JVMTI_HEAP_REFERENCE_OTHER) *tag = kVmRootTag;
  return 0;
}

}  // namespace holdfast::jvmti
