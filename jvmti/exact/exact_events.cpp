#include "jvmti/exact/exact_events.h"

#include "jvmti/agent_place.h"
#include "jvmti/exact/exact_counting.h"

namespace holdfast::jvmti {

namespace {

ExactCounting* counting() noexcept {
  Agent* const agent = settled_agent();
  return agent != nullptr && agent->exact().is_open() ? &agent->exact() : nullptr;
}

void JNICALL on_class_load(jvmtiEnv*, JNIEnv* jni, jclass /*redefined*/, jobject loader,
                           const char* name, jobject domain, jint length, const unsigned char* data,
                           jint* new_length, unsigned char** new_data) noexcept {
  const AgentVisit visit;
  if (ExactCounting* exact = counting(); exact != nullptr && length > 0)
    exact->class_loaded(
        jni, loader, name, domain,
        {reinterpret_cast<const std::byte*>(data), static_cast<std::size_t>(length)}, new_length,
        new_data);
}

void JNICALL on_thread_end(jvmtiEnv*, JNIEnv* jni, jthread thread) noexcept {
  const AgentVisit visit;
  if (ExactCounting* exact = counting(); exact != nullptr && thread != nullptr)
    exact->thread_ended(*jni, thread);
}

// Without an agent, rows are handed out all the same: nothing reads them any more.
jlong JNICALL attach(JNIEnv* jni, jclass, jobject thread) noexcept {
  const AgentVisit visit;
  if (ExactCounting* exact = counting()) return exact->attach(*jni, thread);
  return static_cast<jlong>(count_rows().row_for_thread(false));
}

jlong JNICALL entered(JNIEnv*, jclass, jlong row, jint account) noexcept {
  const AgentVisit visit;
  if (ExactCounting* exact = counting()) return exact->entered(row, account);
  return row;
}

jint JNICALL place(JNIEnv* jni, jclass, jobject object) noexcept {
  const AgentVisit visit;
  if (ExactCounting* exact = counting()) return exact->place(*jni, object);
  return static_cast<jint>(count_rows().add_class({}));
}

}  // namespace

jvmtiEventCallbacks exact_callbacks() noexcept {
  jvmtiEventCallbacks callbacks{};
  callbacks.ClassFileLoadHook = &on_class_load;
  callbacks.ThreadEnd = &on_thread_end;
  return callbacks;
}

std::span<const JNINativeMethod> counting_natives() noexcept {
  static JNINativeMethod natives[] = {
      {const_cast<char*>("attach"), const_cast<char*>("(Ljava/lang/Thread;)J"),
       reinterpret_cast<void*>(&attach)},
      {const_cast<char*>("entered"), const_cast<char*>("(JI)J"), reinterpret_cast<void*>(&entered)},
      {const_cast<char*>("place"), const_cast<char*>("(Ljava/lang/Object;)I"),
       reinterpret_cast<void*>(&place)},
  };
  return natives;
}

}  // namespace holdfast::jvmti
