#include "jvmti/adapter.h"

#include "jvmti/error_map.h"
#include "jvmti/heap_walk.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

void JvmtiAdapter::open(JavaVM& vm, const VmFacts& facts, VmSymbol symbol) noexcept {
  vm_ = &vm;
  symbol_ = symbol;
  facts_ = facts;
}

// A daemon, so that the VM never waits for it; attached from VM init on, because a full heap has no room for a Thread object.
Result<void> JvmtiAdapter::attach_capture_thread() noexcept {
  char name[] = "holdfast capture";
  JavaVMAttachArgs arguments{JNI_VERSION_1_6, name, nullptr};
  void* jni = nullptr;
  const jint answer = vm_->AttachCurrentThreadAsDaemon(&jni, &arguments);
  if (answer != JNI_OK || jni == nullptr) return make_error(ErrorCode::kVm, answer);
  capture_jni_.store(static_cast<JNIEnv*>(jni), std::memory_order_relaxed);
  if (Result<void> opened = java_.open(*static_cast<JNIEnv*>(jni)); !opened) {
    detach_capture_thread();
    return opened;
  }
  frozen_.read_layout(symbol_);
  if (const HeapRange range = frozen_.range(); range.end > range.start) set_heap_range(range);
  return {};
}

void JvmtiAdapter::detach_capture_thread() noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return;
  frozen_.close(*jni);
  java_.close(*jni);
  if (environment_ != nullptr && dispose_at_end_.load(std::memory_order_acquire)) {
    if (exact_ != nullptr) exact_->close();
    if (sampler_ != nullptr) sampler_->close();
    environment_->close();
    disposed_.store(true, std::memory_order_release);
  }
  vm_->DetachCurrentThread();
  capture_jni_.store(nullptr, std::memory_order_relaxed);
}

// -- collections --

void JvmtiAdapter::hear_collections(const Options& options) noexcept {
  const bool wanted = wants_collections(options);
  if (wanted && !hears_collections_.load(std::memory_order_relaxed))
    log_.begin(platforms::utc_ms());
  hears_collections_.store(wanted, std::memory_order_relaxed);
}

Result<void> JvmtiAdapter::listen(const Options& options) noexcept {
  hear_collections(options);
  return environment_ != nullptr ? environment_->listen_for(options) : Result<void>{};
}

void JvmtiAdapter::collection_started() noexcept {
  pause_before_ns_ = counters_.figures().pause_ns;
  log_.began(use_.used_bytes());
}

void JvmtiAdapter::collection_finished() noexcept {
  log_.ended(use_.used_bytes());
  const std::uint64_t pause_ns = counters_.figures().pause_ns;
  if (pause_ns != kUnknownCount && pause_before_ns_ != kUnknownCount && pause_ns > pause_before_ns_)
    log_.paused(pause_ns - pause_before_ns_);
  pause_before_ns_ = kUnknownCount;
}

CollectionFigures JvmtiAdapter::collections() noexcept {
  CollectionFigures figures = counters_.figures();
  if (!hears_collections_.load(std::memory_order_relaxed)) return figures;
  figures.heard = log_.read();
  // Of one begin and end; the counters' own differs by microseconds, and by what is no collection.
  const std::uint64_t last = log_.last_pause_ns();
  if (last != kUnknownCount) figures.last_pause_ns = last;
  return figures;
}

Result<void> JvmtiAdapter::collect() noexcept {
  if (environment_ == nullptr) return make_error(ErrorCode::kVmNotReady);
  return check(environment_->env().ForceGarbageCollection());
}

Result<HeapFigures> JvmtiAdapter::heap_figures() noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return make_error(ErrorCode::kVmNotReady);
  return java_.heap_figures(*jni);
}

Result<void> JvmtiAdapter::capture(const CapturePlan& plan, CaptureMemory& memory, Capture& out,
                                   Notes& notes) noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return make_error(ErrorCode::kVmNotReady);
  return capture_heap(CaptureThread{*vm_, *jni, java_, &heap_range_}, plan, memory, out, notes);
}

void JvmtiAdapter::open_frozen(CaptureMemory& memory, const FrozenWork& work) noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return;
  frozen_.open(CaptureThread{*vm_, *jni, java_}, memory, work, came_late_);
}

RootFigures JvmtiAdapter::root_figures() noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return {};
  return frozen_.root_figures(CaptureThread{*vm_, *jni, java_});
}

Result<void> JvmtiAdapter::freeze(const CapturePlan& plan, CaptureMemory& memory,
                                  const FrozenWork& work, FrozenChild& out, Notes& notes) noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni == nullptr) return make_error(ErrorCode::kVmNotReady);
  return frozen_.freeze(CaptureThread{*vm_, *jni, java_}, plan, memory, work, out, notes);
}

void JvmtiAdapter::keep_named(std::span<const char> told, std::uint32_t sequence,
                              std::uint64_t utc_ms) noexcept {
  JNIEnv* jni = capture_jni_.load(std::memory_order_relaxed);
  if (jni != nullptr) frozen_.tracker().keep_named(*jni, told, sequence, utc_ms);
}

}  // namespace holdfast::jvmti
