#include "tests/driver/jvmpi_host/vm.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace holdfast::jvmpi_host {

namespace {

constexpr jint kLocalFrame = 64;

jvmtiEnv* open_environment(JavaVM* java) {
  void* opened = nullptr;
  if (java->GetEnv(&opened, JVMTI_VERSION_1_1) != JNI_OK) return nullptr;
  return static_cast<jvmtiEnv*>(opened);
}

bool add(jvmtiEnv* jvmti, void (*choose)(jvmtiCapabilities&)) {
  jvmtiCapabilities wanted{};
  choose(wanted);
  return jvmti->AddCapabilities(&wanted) == JVMTI_ERROR_NONE;
}

// None of them is one that a single agent takes for itself.
bool add_capabilities() {
  Vm& all = vm();
  add(all.jvmti, [](jvmtiCapabilities& c) { c.can_get_current_thread_cpu_time = 1; });
  add(all.jvmti, [](jvmtiCapabilities& c) { c.can_get_line_numbers = 1; });
  add(all.jvmti, [](jvmtiCapabilities& c) { c.can_get_source_file_name = 1; });
  return add(all.markers, [](jvmtiCapabilities& c) { c.can_tag_objects = 1; }) &&
         add(all.jvmti, [](jvmtiCapabilities& c) {
           c.can_tag_objects = 1;
           c.can_generate_garbage_collection_events = 1;
         });
}

}  // namespace

Vm& vm() {
  static Vm only;
  return only;
}

bool open_vm(JavaVM* java) {
  Vm& all = vm();
  all.java = java;
  all.jvmti = open_environment(java);
  all.markers = open_environment(java);
  return all.jvmti != nullptr && all.markers != nullptr && add_capabilities();
}

JNIEnv* current_env() {
  void* env = nullptr;
  return vm().java->GetEnv(&env, JNI_VERSION_1_2) == JNI_OK ? static_cast<JNIEnv*>(env) : nullptr;
}

void broken(const char* what, int error) {
  std::fprintf(stderr, "jvmpi_host: broken: %s (%d)\n", what, error);
  std::abort();
}

// The VM ended below a daemon thread in the middle of a request.
[[noreturn]] static void wait_for_the_end() {
  for (;;) ::pause();
}

void must(jvmtiError error, const char* what) {
  if (error == JVMTI_ERROR_WRONG_PHASE) wait_for_the_end();
  if (error != JVMTI_ERROR_NONE) broken(what, error);
}

LocalFrame::LocalFrame(JNIEnv* env) : env_(env) {
  if (env->PushLocalFrame(kLocalFrame) != JNI_OK) broken("PushLocalFrame", 0);
}

std::string taken(char* text) {
  const JvmtiPointer<char> owner(text);
  return text != nullptr ? text : "";
}

}  // namespace holdfast::jvmpi_host
