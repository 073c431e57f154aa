#include "tests/driver/jvmpi_host/proxy_vm.h"

#include "tests/driver/jvmpi_host/notify.h"
#include "tests/driver/jvmpi_host/rules.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

namespace {

jint JNICALL destroy(JavaVM*) { return vm().java->DestroyJavaVM(); }

jint JNICALL attach(JavaVM*, void** env, void* arguments) {
  return vm().java->AttachCurrentThread(env, arguments);
}

jint JNICALL attach_daemon(JavaVM*, void** env, void* arguments) {
  return vm().java->AttachCurrentThreadAsDaemon(env, arguments);
}

jint JNICALL detach(JavaVM*) { return vm().java->DetachCurrentThread(); }

jint JNICALL get_env(JavaVM*, void** out, jint version) {
  const bool jvmpi =
      version == jvmpi::kVersion1 || version == jvmpi::kVersion1_1 || version == jvmpi::kVersion1_2;
  if (!jvmpi) return vm().java->GetEnv(out, version);
  // HotSpot began the interface anew, with no event enabled.
  if (stage() == Stage::kRunning) forbidden("GetEnv of JVMPI after JVM_INIT_DONE");
  *out = &profiler_interface();
  return JNI_OK;
}

}  // namespace

JavaVM* proxy_vm() {
  static const JNIInvokeInterface_ kFunctions = {nullptr, nullptr, nullptr,  &destroy,
                                                 &attach, &detach, &get_env, &attach_daemon};
  static JavaVM proxy{&kFunctions};
  return &proxy;
}

}  // namespace holdfast::jvmpi_host
