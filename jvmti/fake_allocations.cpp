// Allocations and deaths in the fake VM, and the stack of whoever allocates.
#include <algorithm>

#include "jvmti/fake_vm_tables.h"

namespace holdfast::jvmti {

// A friend of FakeVm.
struct FakeAllocations {
  static jvmtiError JNICALL set_interval(jvmtiEnv* env, jint bytes) {
    HF_FAKE(env, "SetHeapSamplingInterval");
    if (vm.sampling_owner != env) return JVMTI_ERROR_MUST_POSSESS_CAPABILITY;
    vm.sampling_interval = bytes;
    return JVMTI_ERROR_NONE;
  }
  static jvmtiError JNICALL stack(jvmtiEnv* env, jthread, jint start, jint most,
                                  jvmtiFrameInfo* out, jint* count) {
    HF_FAKE(env, "GetStackTrace");
    ++vm.stack_calls;
    const auto depth = static_cast<jint>(vm.stack.size());
    if (start != 0 && start >= depth) return JVMTI_ERROR_ILLEGAL_ARGUMENT;
    *count = std::min(most, depth - start);
    const auto first = vm.stack.begin() + start;
    for (jint i = 0; i < *count; ++i)
      out[i] = {reinterpret_cast<jmethodID>(static_cast<std::uintptr_t>(first[i]) + 1), 0};
    return JVMTI_ERROR_NONE;
  }
};

void add_allocation_calls(jvmtiInterface_1_& table) {
  table.SetHeapSamplingInterval = &FakeAllocations::set_interval;
  table.GetStackTrace = &FakeAllocations::stack;
}

int FakeVm::sample(JNIEnv& jni, std::uint32_t thread, std::uint32_t object) {
  const std::vector<FakeEnvironment*> all = listeners(JVMTI_EVENT_SAMPLED_OBJECT_ALLOC);
  for (FakeEnvironment* env : all)
    env->callbacks.SampledObjectAlloc(
        env, &jni, handle_of(thread), handle_of(object),
        static_cast<jclass>(handle_of(classes[objects[object].type].mirror)),
        objects[object].bytes);
  return static_cast<int>(all.size());
}

// As a collection does: every environment that tagged the object hears of it.
void FakeVm::collect(std::uint32_t object) {
  for (FakeEnvironment* env : listeners(JVMTI_EVENT_OBJECT_FREE)) {
    jlong number = 0;
    {
      const std::lock_guard<std::recursive_mutex> lock(mutex_);
      const auto tag = env->tags.find(object);
      if (tag == env->tags.end()) continue;
      number = tag->second;
      env->tags.erase(tag);
    }
    env->callbacks.ObjectFree(env, number);
  }
}

}  // namespace holdfast::jvmti
