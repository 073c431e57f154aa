// Keeps every collectible load context alive through the collection of a dump.
// Why: whatever is dropped after settled_contexts.h has looked would die in that very collection, and the runtime would read its static
//      variables all the same. A handle to each context's LoaderAllocator keeps all that it has; our handles are no roots of the application's and
//      are taken out of the recording.
// Shape:  one pass over the heap in a suspension of ours, about 10 ns an object, for those who know that a collectible module is loaded; a handle
//         each, 16 B of scratch for kMostContexts. Needs .NET 9 (Needs::kHeapObjects); before that hold() does nothing.
// Zone:   capture; the pass is stopped (held_contexts_stopped.cpp).
// Errors: hold(): kOutOfBudget (more than kMostContexts, or no memory), kRefused (no suspension), kVm with the HRESULT. What was held by then is let go.
#pragma once

#include <span>

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/profiler_info.h"
#include "common/arena.h"

namespace holdfast::clr {

// Where objects of one class lie.
struct ObjectSearch {
  ClassID wanted = 0;
  std::span<ObjectID> found;
  std::size_t count = 0;  // may be more than there is room for
};

// An ObjectCallback; `search` is an ObjectSearch.
BOOL HF_COM find_object_stopped(ObjectID object, void* search) noexcept;

class HeldContexts {
 public:
  static constexpr std::size_t kMostContexts = 1u << 16;

  explicit HeldContexts(ProfilerInfo& info) noexcept : info_(info) {}
  ~HeldContexts() { let_go(); }
  HeldContexts(const HeldContexts&) = delete;
  HeldContexts& operator=(const HeldContexts&) = delete;

  Result<void> hold(Arena& arena) noexcept;
  void let_go() noexcept;
  // Before they are let go.
  void take_out_roots(HeapRecording& recording) const noexcept;
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }
  std::size_t held() const noexcept { return count_; }

 private:
  Result<ClassID> find_class(Arena& arena) noexcept;
  Result<void> hold_all(ObjectSearch& search) noexcept;

  ProfilerInfo& info_;
  std::span<ObjectHandleID> handles_;
  std::size_t count_ = 0;
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
