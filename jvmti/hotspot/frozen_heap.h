// The frozen rung on HotSpot: from a request to a child that reads the heap beside the application.
// Why: the application stops for the roots and one clone, milliseconds, and not for a walk over every object.
// Shape:  read_layout(), then open(), once: layout; roots that the VM holds, self-check. freeze() for each dump: catalog, roots and clone at one
//         safepoint, then names of methods to the child, which reads them when it has its graph.
// Zone:   capture; the child's side is frozen_picture.h.
// Errors: refusal() says why the rung is off: once for good when the self-check or a picture fails. freeze(): kRefused (detail:
//         errno) when the system gives no child, kOutOfBudget, the VM's.
#pragma once

#include <utility>

#include "common/child_mailbox.h"
#include "common/vm_adapter.h"
#include "jvmti/heap_walk.h"
#include "jvmti/hotspot/age_layout.h"
#include "jvmti/hotspot/frozen_roots_stopped.h"
#include "jvmti/hotspot/heap_layout.h"
#include "jvmti/hotspot/heap_sweep.h"
#include "jvmti/hotspot/kept_roots.h"
#include "jvmti/object_places.h"
#include "jvmti/tracking/object_tracker.h"

namespace holdfast::jvmti {

class Freeze;

class FrozenHeap {
 public:
  // What the VM's tables tell; makes no child. The walk, too, asks where the heap lies.
  void read_layout(VmSymbol symbol) noexcept;
  // Application running, just after VM init. `work` lends its mailbox and stack to the self-check. An agent that comes late, when
  // `application_runs`, stops nothing: the first dump's child makes the check.
  void open(const CaptureThread& thread, CaptureMemory& memory, const FrozenWork& work,
            bool application_runs) noexcept;
  RootFigures root_figures(const CaptureThread& thread) noexcept;
  StopFigures take_stops() noexcept { return std::exchange(stops_, {}); }
  void close(JNIEnv& jni) noexcept {
    kept_roots_.release(jni);
    tracker_.close(jni);
  }
  ObjectTracker& tracker() noexcept { return tracker_; }

  // Where the heap lies; empty where the VM does not tell.
  HeapRange range() const noexcept {
    return {layout_.heap_start, layout_.heap_end, layout_.object_alignment};
  }
  // Empty when a picture can be taken.
  const char* refusal() const noexcept { return refusal_.text; }
  void forbid(const char* why) noexcept;
  Result<void> freeze(const CaptureThread& thread, const CapturePlan& plan, CaptureMemory& memory,
                      const FrozenWork& work, FrozenChild& out, Notes& notes) noexcept;

 private:
  void learn_walk(const Freeze& freeze, const PauseFigures& pause) noexcept;
  bool prove(const CaptureThread& thread) noexcept;
  void keep_vm_roots(const CaptureThread& thread, std::uint64_t limit_ns) noexcept;
  ObjectTracker* follow_objects(JNIEnv& jni, const CapturePlan& plan) noexcept;

  HeapLayout layout_;
  AgeLayout ages_;
  SweepLayout sweep_;
  LayoutRefusal refusal_{"the agent is not ready yet"};
  KeptRoots kept_roots_;
  ObjectTracker tracker_;
  bool skip_vm_roots_ =
      false;  // kept_roots_ are there in their place, unless the agent came late to a large heap
  bool vm_roots_asked_ = false;
  bool came_late_ = false;  // no self-check has passed before the first dump
  int java_major_ = 0;
  RootLayout roots_;
  bool roots_proved_ = false;  // or found wanting
  // What a walk over roots takes for each KB of stack, all in all: measured by the last one that was not cut.
  std::uint64_t ns_per_stack_kb_ = 0;  // as the last walk took; 0: none was made yet
  std::uint64_t stack_kb_ = 0;         // at the last look
  StopFigures stops_;
};

}  // namespace holdfast::jvmti
