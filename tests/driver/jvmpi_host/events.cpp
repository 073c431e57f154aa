#include "tests/driver/jvmpi_host/events.h"

#include <atomic>

#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/jni_guard.h"
#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/threads.h"

namespace holdfast::jvmpi_host {

namespace {

constexpr jint kLastEvent = 61;
std::atomic<bool> enabled[kLastEvent + 1];
std::atomic<bool> collection_told{false};

bool comes_by_itself(jint type) {
  return type == jvmpi::kJvmInitDone || type == jvmpi::kJvmShutDown ||
         type == jvmpi::kDataDumpRequest || type == jvmpi::kGcStart || type == jvmpi::kGcFinish;
}

void tell(JNIEnv* env, jint type) {
  if (!enabled[type]) return;
  jvmpi::JVMPI_Event event{};
  event.event_type = type;
  event.env_id = env;
  notify(event);
}

// -- what the VM calls --

void JNICALL vm_init(jvmtiEnv*, JNIEnv* env, jthread thread) {
  note_thread(env, thread);
  guard_jni();
  stage() = Stage::kRunning;
  tell(env, jvmpi::kJvmInitDone);
}

void JNICALL vm_death(jvmtiEnv*, JNIEnv* env) {
  tell(env, jvmpi::kJvmShutDown);
  stage() = Stage::kShutDown;
}

void JNICALL data_dump_request(jvmtiEnv*) {
  const Within callback(&ThreadState::data_dumps);
  tell(current_env(), jvmpi::kDataDumpRequest);
}

void JNICALL collection_start(jvmtiEnv*) {
  if (gc_is_off()) return;
  collection_told = true;
  const Within callback(&ThreadState::collections);
  tell(nullptr, jvmpi::kGcStart);
}

void JNICALL collection_finish(jvmtiEnv*) {
  if (!collection_told.exchange(false)) return;
  const Within callback(&ThreadState::collections);
  tell(nullptr, jvmpi::kGcFinish);
}

void JNICALL thread_start(jvmtiEnv*, JNIEnv* env, jthread thread) { note_thread(env, thread); }

void JNICALL thread_end(jvmtiEnv*, JNIEnv* env, jthread) { forget_thread(env); }

}  // namespace

jint set_event(jint type, bool on) {
  if (type <= 0 || type > kLastEvent) return jvmpi::kFail;
  if (!comes_by_itself(type)) return jvmpi::kNotAvailable;
  if (on && profiler_interface().NotifyEvent == nullptr)
    forbidden("EnableEvent without NotifyEvent");
  enabled[type] = on;
  return jvmpi::kSuccess;
}

bool hear_vm() {
  jvmtiEventCallbacks callbacks{};
  callbacks.VMInit = &vm_init;
  callbacks.VMDeath = &vm_death;
  callbacks.DataDumpRequest = &data_dump_request;
  callbacks.GarbageCollectionStart = &collection_start;
  callbacks.GarbageCollectionFinish = &collection_finish;
  callbacks.ThreadStart = &thread_start;
  callbacks.ThreadEnd = &thread_end;
  jvmtiEnv* const jvmti = vm().jvmti;
  bool heard = jvmti->SetEventCallbacks(&callbacks, sizeof callbacks) == JVMTI_ERROR_NONE;
  for (const jvmtiEvent event :
       {JVMTI_EVENT_VM_INIT, JVMTI_EVENT_VM_DEATH, JVMTI_EVENT_DATA_DUMP_REQUEST,
        JVMTI_EVENT_GARBAGE_COLLECTION_START, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH,
        JVMTI_EVENT_THREAD_START, JVMTI_EVENT_THREAD_END})
    heard =
        heard && jvmti->SetEventNotificationMode(JVMTI_ENABLE, event, nullptr) == JVMTI_ERROR_NONE;
  return heard;
}

}  // namespace holdfast::jvmpi_host
