// An old Java VM through JVMPI, as the core sees a VM.
// Why the VM makes the capture thread: its requests are for threads that it knows, and from within an event it must not be called at all.
// Shape:  holds the interface, and what is read once; everything of a dump lives in capture(). A graph comes in one buffer where that fits
//         into the memory that is left, else one object after the other (heap/heap_reading.h).
//         "Paused" is the time without collections: the application runs on, and waits where it needs one.
// Zone:   open(): load. collection_*(): event, at a safepoint. vm_is_gone(): event. deliver(): event, on the capture thread. The rest: capture, see common/vm_adapter.h.
// Errors: kVmNotReady outside attach_capture_thread() .. detach_capture_thread(); kRefused when the VM tells nothing of its heap.
#pragma once

#include <atomic>

#include "common/collection_log.h"
#include "common/vm_adapter.h"
#include "jvmpi/heap/heap_reading.h"
#include "jvmpi/java_runtime.h"
#include "jvmpi/vm_requests.h"
#include "platforms/process.h"
#include "platforms/thread.h"

namespace holdfast::jvmpi {

class JvmpiAdapter final : public VmAdapter {
 public:
  // `version`: that GetEnv gave the interface for; what the interface says of itself is no guide.
  void open(JavaVM& vm, const JVMPI_Interface& jvmpi, jint version, const VmFacts& facts) noexcept;
  // What an event that was asked for tells.
  void deliver(const JVMPI_Event& event) noexcept { requests_.deliver(event); }
  // From now on nothing of the VM is called any more, whatever still runs.
  void vm_is_gone() noexcept { requests_.close(); }
  bool is_gone() const noexcept { return requests_.closed(); }
  void collection_started() noexcept;
  void collection_finished(const JVMPI_Event& event) noexcept;

  // How many have ended since they are told. Any thread.
  std::uint64_t collections_heard() const noexcept {
    return collections_.load(std::memory_order_acquire);
  }

  VmFacts facts() noexcept override;
  bool start_capture_thread(void (*body)(void*), void* argument) noexcept override;
  Result<void> attach_capture_thread() noexcept override;
  void detach_capture_thread() noexcept override;
  CaptureCosts costs() const noexcept override;
  Result<void> listen(const Options& options) noexcept override;
  const char* trigger_state(Trigger trigger, const Options& options) const noexcept override;
  CollectionFigures collections() noexcept override;
  CollectionFigures collections_once_told() noexcept override;
  Result<void> collect() noexcept override;
  Result<HeapFigures> heap_figures() noexcept override;
  std::uint32_t cpu_demand_percent() noexcept override { return platforms::cpu_demand_percent(); }
  Result<void> capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                       Notes& notes) noexcept override;
  bool may_freeze() const noexcept override { return false; }
  const char* frozen_refusal() noexcept override { return "not in a VM of JVMPI"; }

 private:
  Result<void> take_graph(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                          Notes& notes) noexcept;
  Result<void> read_graph(ReadingPlan& plan, CaptureMemory& memory, Capture& out,
                          Notes& notes) noexcept;
  Result<void> read_graph_once(const ReadingPlan& plan, CaptureMemory& memory, Capture& out,
                               Notes& notes) noexcept;
  Result<void> take_histogram(CaptureMemory& memory, Capture& out, Notes& notes) noexcept;

  JavaVM* vm_ = nullptr;
  const JVMPI_Interface* jvmpi_ = nullptr;
  jint version_ = kVersion1;
  VmRequests requests_;
  JavaRuntime runtime_;
  JNIEnv* capture_jni_ = nullptr;           // the capture thread's own
  bool attached_by_us_ = false;             // likewise
  bool made_by_vm_ = false;                 // written before that thread runs
  RecordTail tail_ = RecordTail::kWritten;  // what the VM has shown of itself until now
  mutable platforms::Mutex facts_mutex_;
  VmFacts facts_ HF_GUARDED_BY(facts_mutex_);
  std::atomic<bool> hears_collections_{false};
  std::atomic<std::uint64_t> collections_{0};
  std::atomic<std::uint64_t> used_after_{kUnknownCount};
  std::uint64_t began_ns_ = 0;  // of the collection that runs
  CollectionLog log_;
};

}  // namespace holdfast::jvmpi
