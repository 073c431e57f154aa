#include "jvmti/events.h"

#include "jvmti/agent_place.h"

namespace holdfast::jvmti {

namespace {

Agent* agent_of(jvmtiEnv* env) noexcept { return static_cast<Agent*>(Environment::owner_of(*env)); }

void JNICALL on_vm_init(jvmtiEnv* env, JNIEnv* jni, jthread) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->vm_init(jni);
}

void JNICALL on_vm_death(jvmtiEnv* env, JNIEnv*) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->vm_death();
}

// SIGQUIT: the VM prints its thread dump in another handler; this one only posts.
void JNICALL on_data_dump_request(jvmtiEnv* env) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->data_dump_request();
}

void JNICALL on_resource_exhausted(jvmtiEnv* env, JNIEnv* jni, jint flags, const void*,
                                   const char* description) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->resource_exhausted(jni, flags, description);
}

// At a safepoint, as the next one: nothing of the VM may be called.
void JNICALL on_collection_start(jvmtiEnv* env) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->collection_started();
}

void JNICALL on_collection_finish(jvmtiEnv* env) noexcept {
  const AgentVisit visit;
  if (Agent* agent = agent_of(env)) agent->collection_finished();
}

}  // namespace

jvmtiEventCallbacks event_callbacks() noexcept {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = &on_vm_init;
  callbacks.VMDeath = &on_vm_death;
  callbacks.DataDumpRequest = &on_data_dump_request;
  callbacks.ResourceExhausted = &on_resource_exhausted;
  callbacks.GarbageCollectionStart = &on_collection_start;
  callbacks.GarbageCollectionFinish = &on_collection_finish;
  return callbacks;
}

}  // namespace holdfast::jvmti
