// Weak handles to sampled objects: made by the threads that allocate, asked and given back by one of ours.
// Why handles: where objects have moved to, and which have died, the runtime tells for all of them in every collection, or by a handle for one.
//      These are its long weak ones: empty when the object's memory is free, and not before its finalizer has run. They hold nothing, and are
//      none of a dump's GC roots.
// Shape:  at most `most` at once, because each is looked at in collections; 8 bytes each, in the runtime's memory.
// Zone:   make(): event, where the object is not one yet: nobody looks into it, and the thread does not stop for a collection before its class is
//         written. is_dead(), destroy(): any thread.
// Errors: make(): nullptr. A handle that the runtime does not tell of counts as alive.
// Source: ICorProfilerInfo13::CreateHandle, GetObjectIDFromHandle, DestroyHandle (.NET 7).
#pragma once

#include <atomic>

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class WeakHandles {
 public:
  // `most` 0, or a runtime without handles: there are none.
  void open(ProfilerInfo& info, std::uint32_t most) noexcept {
    info_ = &info;
    most_ = info.has(Needs::kObjectHandles) ? most : 0;
  }
  bool available() const noexcept { return most_ != 0; }

  ObjectHandleID make(ObjectID object) noexcept {
    if (count_.load(std::memory_order_relaxed) >= most_) return nullptr;
    ObjectHandleID handle = nullptr;
    if (!succeeded((*info_)->CreateHandle(object, COR_PRF_HANDLE_TYPE_WEAK, &handle)))
      return nullptr;
    count_.fetch_add(1, std::memory_order_relaxed);
    return handle;
  }
  bool is_dead(ObjectHandleID handle) noexcept {
    ObjectID object = 0;
    return succeeded((*info_)->GetObjectIDFromHandle(handle, &object)) && object == 0;
  }
  void destroy(ObjectHandleID handle) noexcept {
    (*info_)->DestroyHandle(handle);
    count_.fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  ProfilerInfo* info_ = nullptr;
  std::uint32_t most_ = 0;
  std::atomic<std::uint32_t> count_{0};
};

}  // namespace holdfast::clr
