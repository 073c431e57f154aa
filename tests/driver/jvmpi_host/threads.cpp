#include "tests/driver/jvmpi_host/threads.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace holdfast::jvmpi_host {

namespace {

constexpr std::uint64_t kMadeUp = 0x0e0000000000;  // of threads, in order
constexpr std::uint64_t kMadeUpByNumber = 0x0f0000000000;
constexpr std::uint64_t kEnvBytes = 64;
constexpr jint kDeepest = 64;
constexpr jint kNoLine = -1;

std::mutex& store_lock() {
  static std::mutex lock;
  return lock;
}
std::unordered_map<JNIEnv*, void*>& store() {
  static auto& values = *new std::unordered_map<JNIEnv*, void*>;  // threads outlive exit()
  return values;
}

JNIEnv* make_up_env() {
  static std::atomic<std::uint64_t> count{0};
  return reinterpret_cast<JNIEnv*>(kMadeUp + kEnvBytes * ++count);
}

jint line_of(const jvmtiFrameInfo& frame) {
  jint count = 0;
  jvmtiLineNumberEntry* table = nullptr;
  if (vm().jvmti->GetLineNumberTable(frame.method, &count, &table) != JVMTI_ERROR_NONE)
    return kNoLine;
  const JvmtiPointer<jvmtiLineNumberEntry> owner(table);
  jint line = kNoLine;
  jlocation nearest = -1;
  for (jint i = 0; i < count; ++i) {
    const jlocation start = table[i].start_location;
    if (start > frame.location || start < nearest) continue;
    nearest = start;
    line = table[i].line_number;
  }
  return line;
}

}  // namespace

JNIEnv* env_of(jthread thread) {
  void* noted = nullptr;
  if (vm().jvmti->GetThreadLocalStorage(thread, &noted) != JVMTI_ERROR_NONE) return nullptr;
  if (noted != nullptr) return static_cast<JNIEnv*>(noted);
  JNIEnv* const made_up = make_up_env();
  vm().jvmti->SetThreadLocalStorage(thread, made_up);
  return made_up;
}

JNIEnv* stand_in_env(jlong thread_number) {
  const auto place = static_cast<std::uint64_t>(thread_number) * kEnvBytes;
  return reinterpret_cast<JNIEnv*>(kMadeUpByNumber + place);
}

void note_thread(JNIEnv* env, jthread thread) { vm().jvmti->SetThreadLocalStorage(thread, env); }

void forget_thread(JNIEnv* env) {
  const std::lock_guard guard(store_lock());
  store().erase(env);
}

jthread thread_of(JNIEnv* me, JNIEnv* env) {
  jthread found = nullptr;
  if (env == me) {
    must(vm().jvmti->GetCurrentThread(&found), "GetCurrentThread");
    return found;
  }
  jint count = 0;
  jthread* threads = nullptr;
  must(vm().jvmti->GetAllThreads(&count, &threads), "GetAllThreads");
  const JvmtiPointer<jthread> owner(threads);
  for (jint i = 0; i < count; ++i)
    if (env_of(threads[i]) == env) found = threads[i];
  return found;
}

void fill_trace(jthread thread, jvmpi::JVMPI_CallTrace& trace, jint depth) {
  jvmtiFrameInfo frames[kDeepest];
  jint count = 0;
  trace.num_frames = 0;
  const jint room = std::min(depth, kDeepest);
  if (vm().jvmti->GetStackTrace(thread, 0, room, frames, &count) != JVMTI_ERROR_NONE) return;
  for (jint i = 0; i < count; ++i) trace.frames[i] = {line_of(frames[i]), frames[i].method};
  trace.num_frames = count;
}

Traces stack_traces(JNIEnv* env, Momentary& memory) {
  const LocalFrame frame(env);
  Traces all;
  jthread* threads = nullptr;
  must(vm().jvmti->GetAllThreads(&all.count, &threads), "GetAllThreads");
  const JvmtiPointer<jthread> owner(threads);
  all.traces = memory.array<jvmpi::JVMPI_CallTrace>(static_cast<std::size_t>(all.count));
  for (jint i = 0; i < all.count; ++i) {
    all.traces[i].env_id = env_of(threads[i]);
    all.traces[i].frames = memory.array<jvmpi::JVMPI_CallFrame>(kDeepest);
    fill_trace(threads[i], all.traces[i], kDeepest);
  }
  return all;
}

void store_with_thread(JNIEnv* env, void* value) {
  const std::lock_guard guard(store_lock());
  store()[env] = value;
}

void* stored_with_thread(JNIEnv* env) {
  const std::lock_guard guard(store_lock());
  const auto found = store().find(env);
  return found != store().end() ? found->second : nullptr;
}

namespace {

void JNICALL run_system_thread(jvmtiEnv*, JNIEnv*, void* run) {
  reinterpret_cast<void (*)(void*)>(run)(nullptr);
}

}  // namespace

jint create_system_thread(JNIEnv* env, const char* name, jint priority, void (*run)(void*)) {
  const LocalFrame frame(env);
  const jclass of = env->FindClass("java/lang/Thread");
  const jmethodID make = env->GetMethodID(of, "<init>", "(Ljava/lang/String;)V");
  const jstring text = env->NewStringUTF(name != nullptr ? name : "");
  const jthread thread = text != nullptr ? env->NewObject(of, make, text) : nullptr;
  if (env->ExceptionCheck()) env->ExceptionClear();
  if (thread == nullptr) return jvmpi::kFail;
  const jvmtiError error = vm().jvmti->RunAgentThread(thread, &run_system_thread,
                                                      reinterpret_cast<void*>(run), priority);
  return error == JVMTI_ERROR_NONE ? jvmpi::kSuccess : jvmpi::kFail;
}

}  // namespace holdfast::jvmpi_host
