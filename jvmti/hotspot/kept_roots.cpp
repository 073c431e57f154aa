#include "jvmti/hotspot/kept_roots.h"

#include "jvmti/dump_environment.h"
#include "jvmti/hotspot/vm_roots_stopped.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

bool KeptRoots::take(JavaVM& vm, JNIEnv& jni) noexcept {
  release(jni);
  DumpEnvironment dump;
  LocalFrame frame(jni);
  if (!frame.open() || !dump.open(vm)) return false;
  jvmtiHeapCallbacks callbacks{};
  callbacks.heap_reference_callback = &tag_vm_root_stopped;
  if (dump.env().FollowReferences(0, nullptr, nullptr, &callbacks, nullptr) != JVMTI_ERROR_NONE)
    return false;
  const jlong tag = kVmRootTag;
  jint count = 0;
  VmMemory<jobject> objects(dump.env());
  if (dump.env().GetObjectsWithTags(1, &tag, &count, objects.out(), nullptr) != JVMTI_ERROR_NONE)
    return false;
  if (count < 0 || static_cast<std::size_t>(count) > kMost) return false;
  for (jobject object : objects.items(count)) {
    jweak handle = jni.NewWeakGlobalRef(object);
    if (handle == nullptr) {
      jni.ExceptionClear();
      return release(jni), false;
    }
    handles_[count_++] = reinterpret_cast<std::uintptr_t>(handle);
  }
  return true;
}

void KeptRoots::release(JNIEnv& jni) noexcept {
  for (std::size_t i = 0; i < count_; ++i)
    jni.DeleteWeakGlobalRef(reinterpret_cast<jweak>(static_cast<std::uintptr_t>(handles_[i])));
  count_ = 0;
}

}  // namespace holdfast::jvmti
