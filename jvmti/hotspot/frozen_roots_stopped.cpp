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
  freeze.child = platforms::spawn_child(freeze.plan);
  freeze.clone_ns = platforms::monotonic_ns() - began;
  if (freeze.child > 0 && freeze.announce_to != nullptr)
    freeze.announce_to->store(freeze.child, std::memory_order_release);
  return end(freeze, freeze.child > 0 ? FreezeOutcome::kFrozen : FreezeOutcome::kCloneFailed);
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
