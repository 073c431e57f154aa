// The heap callback of a freeze: takes down the GC roots with their addresses, and makes the child when the last one is told.
// Why addresses: tags cost native memory and time, and a tag cannot be read as memory. HotSpot keeps the object's address and size
//      next to the tag that it shows the callback; that is not documented, so each root must prove it: the size found there is the
//      one that the VM passes, and the address lies in the heap where an object may begin.
// Why cut: a walk over deep stacks or many handles takes as long as it takes. When the time for it is over, the child is made at once
//      and finds the rest in memory (root_memory.h). A stack is not begun that would not be over in time.
// Shape:  roots are told before the first reference: stack, JNI globals, system classes, then those of the VM itself. Of the
//         latter only, a VM that pays for a complete walk is spared the rest: they were taken at load (kept_roots.h).
//         O(roots); 40 B a root.
// Zone:   stopped.
// Errors: FreezeState::outcome. Nothing is made when an address does not prove itself or the memory is used up.
// Source: HotSpot, prims/jvmtiTagMap.cpp (CallbackWrapper, collect_stack_roots, collect_simple_roots).
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "common/column.h"
#include "common/snapshot/builder.h"
#include "jvmti/hotspot/free_regions.h"
#include "jvmti/hotspot/root_memory.h"
#include "platforms/child.h"

namespace holdfast::jvmti {

// Walking one KB of stack, before anything was measured: 8 to 10 frames at 2 us each.
inline constexpr std::uint64_t kNsPerStackKb = 20'000;

enum class FreezeOutcome : std::uint8_t {
  kNoCallback,  // the VM told nothing
  kFrozen,
  kNoRoom,       // more roots than the memory holds
  kNotProved,    // the address beside a tag is not what we think
  kCloneFailed,  // child < 0 is -errno
};

struct FreezeState {
  Column<RawRoot> roots;
  Column<std::uint64_t> addresses;  // of the roots' objects
  std::uint64_t heap_start = 0;
  std::uint64_t heap_end = 0;
  std::uint64_t alignment_mask = 0;
  std::uint32_t class_count = 0;
  std::uint32_t thread_count = 0;
  bool skip_vm_roots = false;
  // The walk over roots ends at this time of the monotonic clock; UINT64_MAX: when it is over.
  std::uint64_t roots_until_ns = UINT64_MAX;
  StackCursor stacks;
  std::uint64_t first_root_ns = 0;  // the time of the first callback
  std::uint64_t roots_ns = 0;       // what the walk over roots took
  std::uint64_t stack_bytes = 0;    // of the stacks that were walked to the end
  std::uint64_t stacks_ns = 0;      // what those took
  std::uint64_t next_stack_bytes = 0;
  std::uint32_t callbacks = 0;
  bool thread_told = false;
  bool stacks_walked = false;  // with cut: to the end, all of them
  bool cut = false;            // not all roots were told
  // So many roots that have no tag get place_tag() (tracking/named_record.h).
  std::uint32_t tags_left = 0;
  FreeRegions* free_regions = nullptr;  // the child does without them
  platforms::ChildPlan plan;
  FreezeOutcome outcome = FreezeOutcome::kNoCallback;
  std::int64_t child = 0;
  std::atomic<std::int64_t>* announce_to = nullptr;  // who watches the child learns its number here
  std::uint64_t clone_ns = 0;
};

jint JNICALL freeze_reference_stopped(jvmtiHeapReferenceKind kind,
                                      const jvmtiHeapReferenceInfo* info, jlong class_tag,
                                      jlong referrer_class_tag, jlong shallow_bytes, jlong* tag,
                                      jlong* referrer_tag, jint length, void* state) noexcept;

}  // namespace holdfast::jvmti
