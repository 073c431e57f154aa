// The door of -Xrun. A VM of JVMPI gets the agent of this folder; any other one, which knows -Xrun as well, is told to go to the door of
// -agentpath, if this library has it.
#include <jni.h>

#include <cstdlib>
#include <string_view>

#include "analysis/pipeline.h"
#include "common/log.h"
#include "jvmpi/agent.h"
#include "platforms/process.h"

extern "C" {
// The tool interface's own door; nullptr in a library that is built without it.
[[gnu::weak]] jint JNICALL Agent_OnLoad(JavaVM* vm, char* options, void* reserved);
}

namespace holdfast::jvmpi {

namespace {

std::uint32_t our_process = 0;

// A process that the application forked inherits the handler, and no dump of its own.
void wait_at_exit() noexcept {
  if (platforms::process_id() == our_process) process_exits();
}

// A VM may begin its interface anew at each GetEnv (HotSpot forgets which events are wanted), so it is asked at the door of the one agent,
// and never again.
JVMPI_Interface* interface_of(JavaVM& vm, jint version) noexcept {
  void* jvmpi = nullptr;
  return vm.GetEnv(&jvmpi, version) == JNI_OK ? static_cast<JVMPI_Interface*>(jvmpi) : nullptr;
}

void start(JavaVM& vm, JVMPI_Interface& jvmpi, jint version, std::string_view options) noexcept {
  constexpr AnalysisCalls kAnalysis{&analysis::analyse_and_report, &analysis::tidy_reports};
  if (settle_agent(vm, jvmpi, version, options, kAnalysis) == nullptr) return;
  our_process = platforms::process_id();
  // Refused only when memory for the list of handlers is: then an exit without JVM_SHUT_DOWN loses a running dump, no more.
  [[maybe_unused]] const int ignored = std::atexit(&wait_at_exit);
}

jint go_to_the_other_door(JavaVM* vm, char* options) noexcept {
  if (Agent_OnLoad != nullptr) return Agent_OnLoad(vm, options, nullptr);
  log_line(LogLevel::kError,
           "this VM has no JVMPI (Java 1.2 to 5 have it), and this library knows nothing else; the "
           "agent stays off");
  return JNI_OK;
}

}  // namespace

}  // namespace holdfast::jvmpi

using namespace holdfast::jvmpi;

extern "C" {

// An answer other than JNI_OK would end the VM.
[[gnu::visibility("default")]] jint JNICALL JVM_OnLoad(JavaVM* vm, char* options,
                                                       void* /*reserved*/) noexcept {
  if (loaded_already()) return JNI_OK;
  for (const jint version : {kVersion1_1, kVersion1}) {
    JVMPI_Interface* const jvmpi = interface_of(*vm, version);
    if (jvmpi == nullptr) continue;
    start(*vm, *jvmpi, version, options != nullptr ? options : "");
    return JNI_OK;
  }
  return go_to_the_other_door(vm, options);
}

[[gnu::visibility("default")]] void JNICALL JVM_OnUnload(JavaVM* /*vm*/) noexcept {}
}
