// The two heap callbacks, which run inside the VM while the application is stopped, and the state they write to.
// Why so little: whatever they do costs the user's pause, and whatever they wait for may be held by a stopped thread. They turn
//      tags into numbers and append to memory that is there already.
// Shape:  HotSpot reports stack roots, then the other roots, then each visited object's references contiguously, so a new
//         referrer starts a new row (docs/decisions/030-heap-walk-order.md). The tag of an object
//         is its number + 1; the tag of a class is its class object's.
//         Objects that have no tag before the walk are told apart by their addresses where the first call proves that it shows
//         them (object_places.h), else they are tagged. Which of the two is decided once, at that call: numbers of one kind
//         mean nothing in the other, so an address that contradicts itself later ends the walk.
//         The reference from an object to its class starts a row and reaches the class object, but is not stored: it is implied.
//         16 B an object + 6 B a reference + 32 B a root, see common/snapshot/builder.h.
// Zone:   stopped.
// Errors: when the reserved memory is used up the walk is aborted (builder.overflowed(), places_full), and where the VM
//         contradicts itself (contradicted). Everything else that is odd has a counter.
// Source: JVMTI specification, heap callbacks (jvmtiHeapReferenceCallback, jvmtiHeapIterationCallback).
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/java/class_layout.h"
#include "common/snapshot/builder.h"
#include "common/vm_adapter.h"
#include "jvmti/object_places.h"

namespace holdfast::jvmti {

struct WalkState {
  SnapshotBuilder* builder = nullptr;
  const java::ReferentRule* referents = nullptr;  // [class_count]
  std::uint8_t* rooted =
      nullptr;  // [class_count], 1: the VM names the class object as a root itself
  std::uint32_t class_count = 0;
  std::uint32_t thread_count = 0;
  std::uint32_t preassigned = 0;  // class objects, threads, loaders
  ClassId class_class;
  std::uint32_t row = ObjectId::kNoneValue;  // whose references are being reported
  ObjectPlaces* places = nullptr;            // none: objects are tagged
  bool decided = false;                      // between the two
  bool places_full = false;
  bool contradicted = false;
};

struct CountState {
  ClassCount* counts = nullptr;  // [class_count + 1], the last for unknown classes
  std::uint32_t class_count = 0;
};

jint JNICALL follow_reference_stopped(jvmtiHeapReferenceKind kind,
                                      const jvmtiHeapReferenceInfo* info, jlong class_tag,
                                      jlong referrer_class_tag, jlong shallow_bytes, jlong* tag,
                                      jlong* referrer_tag, jint length, void* state) noexcept;
jint JNICALL count_object_stopped(jlong class_tag, jlong shallow_bytes, jlong* tag, jint length,
                                  void* state) noexcept;

}  // namespace holdfast::jvmti
