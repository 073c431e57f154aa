// Keeps every collectible load context alive through the collection of a dump, if none is half gone.
// Why: whatever is dropped before that collection would die in it, and the runtime would read its static variables all the same. A
//      handle to each context's LoaderAllocator keeps all that it has; our handles are no roots of the application's and are taken out of the recording.
//      One that is half gone cannot be held any more: its LoaderAllocator has been collected, and its scout, the object whose finalizer
//      frees what the runtime has of it, has not been. So each scout has to be a LoaderAllocator's.
// Shape:  one pass over the heap in a suspension of ours, about 10 ns an object, for those who know that a collectible module is loaded and
//         have just collected (what a collection in the background has found dead must not be held); a handle each, 24 B of scratch for
//         kMostContexts. Needs .NET 9 (Needs::kHeapObjects).
// Zone:   capture; the pass is stopped (held_contexts_stopped.cpp).
// Errors: hold(): false: one is half gone, and nothing is held; kOutOfBudget (more than kMostContexts, or no memory), kRefused (no suspension), kVm with the HRESULT. What was held by then is let go.
#pragma once

#include <span>

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/profiler_info.h"
#include "common/arena.h"

namespace holdfast::clr {

// Where LoaderAllocators lie, and how many scouts there are.
struct ContextSearch {
  ClassID allocator = 0;
  ClassID scout = 0;
  std::span<ObjectID> found;
  std::size_t count = 0;  // may be more than there is room for
  std::size_t scouts = 0;
};

// An ObjectCallback; `search` is a ContextSearch.
BOOL HF_COM find_context_stopped(ObjectID object, void* search) noexcept;
// Whether a LoaderAllocator still refers to its scout.
bool has_scout_stopped(ObjectID allocator, ClassID scout) noexcept;

class HeldContexts {
 public:
  static constexpr std::size_t kMostContexts = 1u << 16;

  explicit HeldContexts(ProfilerInfo& info) noexcept : info_(info) {}
  ~HeldContexts() { let_go(); }
  HeldContexts(const HeldContexts&) = delete;
  HeldContexts& operator=(const HeldContexts&) = delete;

  Result<bool> hold(Arena& arena) noexcept;
  void let_go() noexcept;
  // Before they are let go.
  void take_out_roots(HeapRecording& recording) const noexcept;
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }
  std::size_t held() const noexcept { return count_; }

 private:
  Result<void> find_classes(Arena& arena, ContextSearch& search) noexcept;
  Result<bool> look_and_hold(ContextSearch& search) noexcept;
  Result<void> hold_all(const ContextSearch& search) noexcept;

  ProfilerInfo& info_;
  std::span<ObjectHandleID> handles_;
  std::size_t count_ = 0;
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
