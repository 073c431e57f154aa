// HotSpot through JVMTI, as the core sees a VM.
// Shape:  holds what is read once (facts, Java members) and the capture thread's JNIEnv; everything of a dump lives in capture().
// Zone:   open(): load. is_capture_thread(): event. The rest: capture, see common/vm_adapter.h.
// Errors: kVmNotReady outside attach_capture_thread() .. detach_capture_thread().
#pragma once

#include <jvmti.h>

#include <atomic>

#include "common/collection_log.h"
#include "common/vm_adapter.h"
#include "jvmti/accounts/allocation_sampler.h"
#include "jvmti/environment.h"
#include "jvmti/exact/exact_counting.h"
#include "jvmti/hotspot/frozen_heap.h"
#include "jvmti/hotspot/heap_use.h"
#include "jvmti/hotspot/perf_counters.h"
#include "jvmti/java_access.h"
#include "jvmti/object_places.h"
#include "platforms/process.h"

namespace holdfast::jvmti {

class JvmtiAdapter final : public VmAdapter {
 public:
  void open(JavaVM& vm, const VmFacts& facts, VmSymbol symbol) noexcept;
  // An OutOfMemoryError thrown in our own thread must not wait for that thread.
  bool is_capture_thread(const JNIEnv* jni) const noexcept {
    return jni != nullptr && jni == capture_jni_.load(std::memory_order_relaxed);
  }

  // The application runs already.
  void set_came_late() noexcept { came_late_ = true; }
  // After open(), before the threads start: what the VM's own counters and events are asked of.
  void set_listener(Environment& environment) noexcept { environment_ = &environment; }
  void set_counting(ExactCounting& exact) noexcept { exact_ = &exact; }
  void set_sampler(AllocationSampler& sampler) noexcept { sampler_ = &sampler; }
  // The capture thread takes the environments out of the VM before it leaves it, and with them all events.
  void dispose_at_end() noexcept { dispose_at_end_.store(true, std::memory_order_release); }
  bool disposed() const noexcept { return disposed_.load(std::memory_order_acquire); }
  // At VM init, when the VM has made all its counters. False: it keeps none.
  bool open_counters(std::uint64_t max_heap_bytes) noexcept {
    use_.open(symbol_, max_heap_bytes);
    return counters_.open(symbol_, max_heap_bytes);
  }
  // What these options ask to be told is told from now on, or is no longer.
  void hear_collections(const Options& options) noexcept;
  // The VM's events, at a safepoint.
  void collection_started() noexcept;
  void collection_finished() noexcept;

  // Where objects lie, so that a walk can do without tags.
  void set_heap_range(const HeapRange& range) noexcept { heap_range_ = range; }

  VmFacts facts() noexcept override { return facts_; }
  Result<void> attach_capture_thread() noexcept override;
  void detach_capture_thread() noexcept override;
  Result<void> listen(const Options& options) noexcept override;
  CollectionFigures collections() noexcept override;
  Result<void> collect() noexcept override;
  Result<HeapFigures> heap_figures() noexcept override;
  std::uint32_t cpu_demand_percent() noexcept override { return platforms::cpu_demand_percent(); }
  std::uint64_t tell_accounts(AccountBook& book, std::uint64_t pause_limit_ns,
                              Notes& notes) noexcept override {
    const bool counts = exact_ != nullptr && exact_->is_open();
    return counts ? exact_->tell(book, pause_limit_ns, notes) : 0;
  }
  Result<void> capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                       Notes& notes) noexcept override;
  void open_frozen(CaptureMemory& memory, const FrozenWork& work) noexcept override;
  const char* frozen_refusal() noexcept override { return frozen_.refusal(); }
  RootFigures root_figures() noexcept override;
  StopFigures take_stops() noexcept override { return frozen_.take_stops(); }
  Result<void> freeze(const CapturePlan& plan, CaptureMemory& memory, const FrozenWork& work,
                      FrozenChild& out, Notes& notes) noexcept override;
  void keep_named(std::span<const char> told, std::uint32_t sequence,
                  std::uint64_t utc_ms) noexcept override;
  void forbid_frozen(const char* why) noexcept override { frozen_.forbid(why); }

 private:
  JavaVM* vm_ = nullptr;
  VmSymbol symbol_ = nullptr;
  Environment* environment_ = nullptr;
  ExactCounting* exact_ = nullptr;
  AllocationSampler* sampler_ = nullptr;
  std::atomic<bool> dispose_at_end_{false};
  std::atomic<bool> disposed_{false};
  PerfCounters counters_;
  HeapUse use_;
  CollectionLog log_;
  std::atomic<bool> hears_collections_{false};
  std::uint64_t pause_before_ns_ =
      kUnknownCount;  // the events' own: of all, when the last one began
  FrozenHeap frozen_;
  bool came_late_ = false;
  VmFacts facts_;
  JavaAccess java_;
  HeapRange heap_range_;
  // Written by the capture thread; compared by others, who only need to see their own pointer or another one.
  std::atomic<JNIEnv*> capture_jni_{nullptr};
};

}  // namespace holdfast::jvmti
