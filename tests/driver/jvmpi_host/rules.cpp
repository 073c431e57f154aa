#include "tests/driver/jvmpi_host/rules.h"

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/driver/jvmpi_host/gc_switch.h"
#include "tests/driver/jvmpi_host/knobs.h"
#include "tests/driver/jvmpi_host/vm.h"

namespace holdfast::jvmpi_host {

void forbidden(const char* format, ...) {
  char text[256];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::fprintf(stderr, "jvmpi_host: forbidden: %s\n", text);
  std::abort();
}

ThreadState& this_thread() {
  static thread_local ThreadState state;
  return state;
}

std::atomic<Stage>& stage() {
  static std::atomic<Stage> now{Stage::kLoading};
  return now;
}

Call::Call(const char* name, CallKind kind, const void* argument) : name_(name) {
  const ThreadState& me = this_thread();
  if (me.collections > 0) forbidden("%s during a collection", name);
  if (me.data_dumps > 0 && kind != CallKind::kMonitor)
    forbidden("%s inside DATA_DUMP_REQUEST", name);
  const Stage now = stage();
  if (now == Stage::kShutDown) forbidden("%s after JVM_SHUT_DOWN", name);
  // While a library is loaded the VM has no threads yet.
  if (now != Stage::kLoading && current_env() == nullptr)
    forbidden("%s on a thread that is not attached", name);
  if (knobs().trace) std::fprintf(stderr, "jvmpi_host: %s %p\n", name, argument);
}

jint Call::answer(jint value) const {
  if (knobs().trace) std::fprintf(stderr, "jvmpi_host: %s = %d\n", name_, value);
  return value;
}

void* Call::answer(void* value) const {
  if (knobs().trace) std::fprintf(stderr, "jvmpi_host: %s = %p\n", name_, value);
  return value;
}

void check_allocation(const char* function) {
  const ThreadState& me = this_thread();
  if (me.host_work > 0) return;
  if (me.heap_dumps > 0) forbidden("JNI %s inside HEAP_DUMP", function);
  if (me.data_dumps > 0) forbidden("JNI %s inside DATA_DUMP_REQUEST", function);
  if (this_thread_disabled_gc()) forbidden("JNI %s by a thread that has GC disabled", function);
}

}  // namespace holdfast::jvmpi_host
