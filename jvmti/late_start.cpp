#include "jvmti/late_start.h"

#include <jvmti.h>

#include <algorithm>

#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast::jvmti {

namespace {

constexpr std::size_t kStackBytes = std::size_t{512} << 10;
constexpr std::uint64_t kLookNs = 1'000'000;
constexpr std::uint64_t kPatienceNs = 60'000'000'000;
constexpr std::size_t kMostOptionBytes = std::size_t{16} << 10;

// The VM's text need not outlive the call.
struct LateStart {
  JavaVM* vm = nullptr;
  void (*start)(JavaVM& vm, std::string_view options) noexcept = nullptr;
  char options[kMostOptionBytes] = "";
  std::size_t option_bytes = 0;
};
LateStart late;

bool wait_for_life(JavaVM& vm) noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kPatienceNs;
  while (too_early(vm)) {
    if (platforms::monotonic_ns() > until) return false;
    platforms::sleep_ns(kLookNs);
  }
  return true;
}

void run_late_start(void* /*nothing*/) noexcept {
  char name[] = "holdfast start";
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, name, nullptr};
  void* jni = nullptr;
  if (late.vm->AttachCurrentThreadAsDaemon(&jni, &arguments) != JNI_OK)
    return log_line(LogLevel::kError, "the VM does not let our thread in; the agent stays off");
  if (wait_for_life(*late.vm))
    late.start(*late.vm, {late.options, late.option_bytes});
  else
    log_line(LogLevel::kError, "the VM does not come to life; the agent stays off");
  late.vm->DetachCurrentThread();
}

}  // namespace

// A successful look makes an environment.
bool too_early(JavaVM& vm) noexcept {
  void* env = nullptr;
  const jint answer = vm.GetEnv(&env, JVMTI_VERSION_1_2);
  if (answer == JNI_OK && env != nullptr) static_cast<jvmtiEnv*>(env)->DisposeEnvironment();
  return answer == JNI_EDETACHED;
}

void start_late(JavaVM& vm, std::string_view options,
                void (*start)(JavaVM& vm, std::string_view options) noexcept) noexcept {
  if (late.vm != nullptr) return;
  late.vm = &vm;
  late.start = start;
  late.option_bytes = std::min(options.size(), kMostOptionBytes);
  std::copy_n(options.data(), late.option_bytes, late.options);
  platforms::Thread thread;
  if (thread.start("hf-late", kStackBytes, &run_late_start, nullptr) == 0)
    thread.detach();
  else
    log_line(LogLevel::kError, "the system gives no thread to start with; the agent stays off");
}

}  // namespace holdfast::jvmti
