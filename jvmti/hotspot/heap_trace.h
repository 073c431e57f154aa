// The mark phase: everything that the roots reach, in place, on one thread.
// Why from the roots: a linear pass meets dead objects whose class is gone, silently; what is reached is alive and can be read.
// Shape:  each object once, O(objects + references); 8 B for each pending object, the mark table beside it. Frames of unmounted
//         threads (stack chunks) are only guesses: they are looked at last, and what they lead to is believed object by object.
// Zone:   child.
// Errors: kInconsistent (detail: the address) for a reference out of the heap, a class word that is none, an object that would
//         not fit: then the layout is not what we think, and the picture is not used. kOutOfBudget, kCancelled.
#pragma once

#include "common/cancel.h"
#include "common/snapshot/growing_mark_table.h"
#include "common/snapshot/pending_objects.h"
#include "jvmti/hotspot/heap_sweep.h"
#include "jvmti/hotspot/object_references.h"
#include "jvmti/hotspot/readable_pages.h"

namespace holdfast::jvmti {

struct TraceCounts {
  std::uint64_t objects = 0;
  std::uint64_t references = 0;  // at most: guesses may fall away when they are filled in
  std::uint64_t shallow_bytes = 0;
  std::uint64_t largest_row = 0;  // references of one object
  std::uint64_t learned_classes = 0;
  std::uint64_t guesses = 0;  // references from frames of unmounted threads
  std::uint64_t dropped = 0;  // references behind a guess that lead nowhere
};

class HeapTrace {
 public:
  HeapTrace(const HeapView& view, ClassShapes& shapes, ObjectReferences& references,
            GrowingMarkTable& marks, Arena& arena) noexcept
      : view_(view),
        shapes_(shapes),
        references_(references),
        marks_(marks),
        pending_(arena),
        chunks_(arena) {}

  // Where the VM says which parts of its heap hold nothing: guesses that lead there are none.
  void set_parts(const FilledParts* parts) noexcept { parts_ = parts; }
  Result<void> add_root(Address object) noexcept;
  Result<void> run(const CancelToken& cancel) noexcept;
  // A word that may be a leftover: could it be an object that is not reached yet?
  bool may_be_new(Address object) noexcept {
    return view_.plausible(object) && !marks_.marked(view_.layout().place_of(object)) &&
           believable(object);
  }
  const TraceCounts& counts() const noexcept { return counts_; }

 private:
  Result<void> drain(const CancelToken& cancel) noexcept;
  void look_into(Address object) noexcept;
  void see_class_of(Address class_object) noexcept;
  void reach(Address object) noexcept;
  void reach_guess(Address object) noexcept;
  bool believable(Address object) noexcept;
  void fail(ErrorCode code, Address where) noexcept;

  const HeapView& view_;
  ClassShapes& shapes_;
  ObjectReferences& references_;
  GrowingMarkTable& marks_;
  PendingObjects pending_;
  PendingObjects chunks_;
  ReadablePages pages_;
  const FilledParts* parts_ = nullptr;
  TraceCounts counts_;
  Error failure_{};
  bool failed_ = false;
  bool guessing_ = false;
};

}  // namespace holdfast::jvmti
