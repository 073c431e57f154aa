// One capture through the standard interface: names, then the walk while the VM is stopped, then the sealed graph.
// Why this order: all that has names is read before the pause, all that can wait is done after it; in between there is one VM call.
// Shape:  kWalk: FollowReferences, objects told apart by address where the VM shows them (object_places.h), else by tags.
//         kHistogram: IterateThroughHeap, unreachable objects included.
//         A walk that outgrows the memory, or whose result does not pass verify(), becomes a histogram, and a note says why.
//         The VM's own memory for tags (CaptureCosts) is outside our ledger: estimated and measured.
// Zone:   capture.
// Errors: the VM's; kOutOfBudget when not even the names fit; kUnsupported for the frozen rungs.
#pragma once

#include <jvmti.h>

#include "common/vm_adapter.h"
#include "jvmti/java_access.h"
#include "jvmti/object_places.h"

namespace holdfast::jvmti {

struct CaptureThread {
  JavaVM& vm;
  JNIEnv& jni;
  const JavaAccess& java;
  // Where objects lie, if that is known. Emptied for good when the VM contradicts itself: then objects are tagged.
  HeapRange* heap = nullptr;
};

Result<void> capture_heap(const CaptureThread& thread, const CapturePlan& plan,
                          CaptureMemory& memory, Capture& out, Notes& notes) noexcept;

}  // namespace holdfast::jvmti
