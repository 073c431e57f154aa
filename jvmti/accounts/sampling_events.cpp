#include "jvmti/accounts/sampling_events.h"

#include "jvmti/accounts/allocation_sampler.h"
#include "jvmti/agent_place.h"
#include "jvmti/environment.h"

namespace holdfast::jvmti {

namespace {

AllocationSampler* sampler_of(jvmtiEnv* env) noexcept {
  return static_cast<AllocationSampler*>(Environment::owner_of(*env));
}

void JNICALL on_sampled_allocation(jvmtiEnv* env, JNIEnv* jni, jthread thread, jobject object,
                                   jclass type, jlong bytes) noexcept {
  const AgentVisit visit;
  if (AllocationSampler* sampler = sampler_of(env))
    sampler->allocated({*env, *jni, thread, object, type, bytes});
}

void JNICALL on_object_free(jvmtiEnv* env, jlong tag) noexcept {
  const AgentVisit visit;
  if (AllocationSampler* sampler = sampler_of(env)) sampler->died(tag);
}

}  // namespace

jvmtiEventCallbacks sampling_callbacks() noexcept {
  jvmtiEventCallbacks callbacks{};
  callbacks.SampledObjectAlloc = &on_sampled_allocation;
  callbacks.ObjectFree = &on_object_free;
  return callbacks;
}

}  // namespace holdfast::jvmti
