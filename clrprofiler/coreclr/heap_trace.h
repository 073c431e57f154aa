// What is alive: from the exact GC roots to the end, and after that from what only may be a reference.
// Why in two parts: what exact roots lead to has to be sound, or the layout is wrong. What hangs on a stale word of a stack alone may be
//      dead for long, and a collection in the background may have made free room of what it refers to: there each step is looked at, and what
//      is no object is dropped.
// Shape:  marks, and counts objects by class; O(objects + references). 8 B a pending object. Dependent handles: their value lives when their key does, to the end.
// Zone:   child.
// Errors: kInconsistent (detail: the address) where the exact part meets what is no object; kOutOfBudget, also for more classes than there
//         is room for; kCancelled.
#pragma once

#include "clrprofiler/coreclr/object_references.h"
#include "clrprofiler/coreclr/object_starts.h"
#include "common/cancel.h"
#include "common/snapshot/pending_objects.h"

namespace holdfast::clr {

struct DependentPair {
  Address key = 0;
  Address value = 0;
};

struct TraceCounts {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  // of these: what nothing but possible references leads to
  std::uint64_t doubtful_objects = 0;
  std::uint64_t doubtful_bytes = 0;
  std::uint64_t dropped_references = 0;
  std::uint64_t references = 0;   // of all objects, dropped ones and dependent handles excluded
  std::uint64_t largest_row = 0;  // references of one object
};

class HeapTrace {
 public:
  HeapTrace(const RuntimeLayout& layout, MarkedHeap& heap, KnownClasses& classes,
            ObjectStarts& starts, std::span<const DependentPair> dependents, Arena& arena) noexcept
      : layout_(layout),
        heap_(heap),
        classes_(classes),
        starts_(starts),
        dependents_(dependents),
        pending_(arena) {}

  Result<void> add_root(Address object) noexcept;
  // Follows everything. Afterwards, once, doubt(); then roots are those that may be none.
  Result<void> run(const CancelToken& cancel) noexcept;
  void doubt() noexcept { doubting_ = true; }
  const TraceCounts& counts() const noexcept { return counts_; }

 private:
  bool reach(Address target) noexcept;
  bool is_sound(Address target) noexcept;
  void look_into(Address object) noexcept;
  void count(std::uint32_t known, std::uint64_t bytes) noexcept;
  bool follow_dependents() noexcept;
  Result<void> drain(const CancelToken& cancel) noexcept;
  void fail(ErrorCode code, Address where) noexcept;

  const RuntimeLayout& layout_;
  MarkedHeap& heap_;
  KnownClasses& classes_;
  ObjectStarts& starts_;
  std::span<const DependentPair> dependents_;
  PendingObjects pending_;
  TraceCounts counts_;
  bool doubting_ = false;
  bool failed_ = false;
  Error failure_{};
};

}  // namespace holdfast::clr
