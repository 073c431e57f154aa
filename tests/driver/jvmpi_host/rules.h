// What a profiler must not do: whoever does it ends here, with one line that says what it was.
// Shape:  each function of the interface opens a Call; what a thread is in the middle of is kept per thread.
// Zone:   tests.   Errors: "jvmpi_host: forbidden: ..." and abort().
// Source: the Java Virtual Machine Profiler Interface as JDK 1.2 to 5 had it.
#pragma once

#include <jni.h>

#include <atomic>
#include <cstdint>

namespace holdfast::jvmpi_host {

[[noreturn, gnu::format(printf, 1, 2)]] void forbidden(const char* format, ...);

struct ThreadState {
  int heap_dumps = 0;   // callbacks of HEAP_DUMP
  int data_dumps = 0;   // of DATA_DUMP_REQUEST
  int collections = 0;  // of GC_START and GC_FINISH
  int host_work = 0;    // the host itself calls the VM
  int gc_disabled = 0;
  std::uint64_t gc_off_period = 0;  // the one that gc_disabled counts in
};
ThreadState& this_thread();

// This thread is in the middle of that.
class Within {
 public:
  explicit Within(int ThreadState::*what) : what_(what) { ++(this_thread().*what_); }
  ~Within() { --(this_thread().*what_); }
  Within(const Within&) = delete;
  Within& operator=(const Within&) = delete;

 private:
  int ThreadState::*what_;
};

enum class Stage : std::uint8_t { kLoading, kStarting, kRunning, kShutDown };
std::atomic<Stage>& stage();

enum class CallKind : std::uint8_t { kMonitor, kOther };  // raw monitors are allowed in more places

// One call of the interface by the profiler.
class Call {
 public:
  explicit Call(const char* name, CallKind kind = CallKind::kOther, const void* argument = nullptr);

  jint answer(jint value) const;
  void* answer(void* value) const;

 private:
  const char* name_;
};

// Of a JNI function that allocates or loads.
void check_allocation(const char* function);

}  // namespace holdfast::jvmpi_host
