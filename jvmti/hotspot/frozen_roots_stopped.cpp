#include "jvmti/hotspot/frozen_roots_stopped.h"

#include "jvmti/root_facts_stopped.h"
#include "jvmti/tracking/named_record.h"
#include "platforms/clock.h"

namespace holdfast::jvmti {

namespace {

bool proved_address(const FreezeState& freeze, const jlong* tag, jlong shallow_bytes,
                    std::uint64_t& out) noexcept {
  const BesideTag found = beside(tag);
  out = found.address;
  return found.shallow_bytes == shallow_bytes && out >= freeze.heap_start &&
         out < freeze.heap_end && (out & freeze.alignment_mask) == 0;
}

jint end(FreezeState& freeze, FreezeOutcome outcome) noexcept {
  freeze.outcome = outcome;
  return JVMTI_VISIT_ABORT;
}

jint make_child(FreezeState& freeze) noexcept {
  if (freeze.outcome == FreezeOutcome::kFrozen) return JVMTI_VISIT_ABORT;
  const std::uint64_t began = platforms::monotonic_ns();
  freeze.roots_ns = freeze.first_root_ns != 0 ? began - freeze.first_root_ns : 0;
  if (freeze.free_regions != nullptr) freeze.free_regions->leave_out();
  freeze.child = platforms::spawn_child(freeze.plan);
  if (freeze.free_regions != nullptr) freeze.free_regions->take_back();
  freeze.clone_ns = platforms::monotonic_ns() - began;
  if (freeze.child > 0 && freeze.announce_to != nullptr)
    freeze.announce_to->store(freeze.child, std::memory_order_release);
  return end(freeze, freeze.child > 0 ? FreezeOutcome::kFrozen : FreezeOutcome::kCloneFailed);
}

// The stack before this one is walked; is there time for the next?
bool time_for_stack(FreezeState& freeze, std::uint64_t object, std::uint64_t now) noexcept {
  if (freeze.next_stack_bytes != 0) {
    freeze.stack_bytes += freeze.next_stack_bytes;
    freeze.stacks_ns = now - freeze.first_root_ns;
  }
  freeze.next_stack_bytes = freeze.stacks.stack_bytes_of(object);
  freeze.thread_told = true;
  constexpr std::uint64_t kEnoughBytes = 64 << 10;
  std::uint64_t per_kb = kNsPerStackKb;
  if (freeze.stack_bytes >= kEnoughBytes) per_kb = freeze.stacks_ns / (freeze.stack_bytes >> 10);
  return now + (freeze.next_stack_bytes >> 10) * per_kb < freeze.roots_until_ns;
}

// Whether the walk goes on. The clock is read for each thread, and for every few of its roots.
bool time_is_left(FreezeState& freeze, jvmtiHeapReferenceKind kind, std::uint64_t object) noexcept {
  constexpr std::uint32_t kLookEvery = 16;
  const bool of_thread = kind == JVMTI_HEAP_REFERENCE_THREAD;
  if (!of_thread && ++freeze.callbacks % kLookEvery != 0) return true;
  const std::uint64_t now = platforms::monotonic_ns();
  if (freeze.first_root_ns == 0) freeze.first_root_ns = now;
  if (of_thread ? time_for_stack(freeze, object, now) : now < freeze.roots_until_ns) return true;
  const bool of_stack = of_thread || kind == JVMTI_HEAP_REFERENCE_STACK_LOCAL ||
                        kind == JVMTI_HEAP_REFERENCE_JNI_LOCAL;
  freeze.stacks_walked = !of_stack && freeze.thread_told;
  freeze.cut = true;
  return false;
}

}  // namespace

jint JNICALL freeze_reference_stopped(jvmtiHeapReferenceKind kind,
                                      const jvmtiHeapReferenceInfo* info, jlong /*class_tag*/,
                                      jlong /*referrer_class_tag*/, jlong shallow_bytes, jlong* tag,
                                      jlong* referrer_tag, jint /*length*/, void* state) noexcept {
  FreezeState& freeze = *static_cast<FreezeState*>(state);
  if (freeze.outcome != FreezeOutcome::kNoCallback) return JVMTI_VISIT_ABORT;
  if (referrer_tag != nullptr) return make_child(freeze);
  if (kind == JVMTI_HEAP_REFERENCE_OTHER && freeze.skip_vm_roots) return make_child(freeze);
  std::uint64_t address = 0;
  if (!proved_address(freeze, tag, shallow_bytes, address))
    return end(freeze, FreezeOutcome::kNotProved);
  if (!time_is_left(freeze, kind, address)) return make_child(freeze);
  RawRoot root;
  root.kind = root_kind_of(kind);  // what a system class root is, frozen_picture.cpp finds out
  if (root.kind == RootKind::kThread)
    root.thread = thread_of_tag(freeze.class_count, freeze.thread_count, *tag);
  if (info != nullptr) describe_frame(freeze.class_count, freeze.thread_count, kind, *info, root);
  if (!freeze.roots.push(root) || !freeze.addresses.push(address))
    return end(freeze, FreezeOutcome::kNoRoom);
  if (freeze.tags_left != 0 && *tag == 0) {
    *tag = place_tag(address, freeze.heap_start);
    --freeze.tags_left;
  }
  return JVMTI_VISIT_OBJECTS;
}

}  // namespace holdfast::jvmti
