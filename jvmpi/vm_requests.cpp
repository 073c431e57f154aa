#include "jvmpi/vm_requests.h"

namespace holdfast::jvmpi {

Asked VmRequests::run(EventType type, void* argument, Call call, void* context) noexcept {
  if (closed()) return Asked::kRefused;
  Pending pending{type, call, context, innermost_};
  innermost_ = &pending;
  const jint answer = vm_->RequestEvent(type, argument);
  innermost_ = pending.outer;
  if (pending.events != 0) return Asked::kAnswered;
  if (answer != kSuccess) return Asked::kRefused;
  ++oddities_.silent;
  return Asked::kSilent;
}

// What the VM tells of its own accord, for another agent's sake, comes on any thread: it is looked at no further.
void VmRequests::deliver(const JVMPI_Event& event) noexcept {
  if ((event.event_type & kRequested) == 0) return;
  Pending* const pending = innermost_;
  if (pending == nullptr || (event.event_type & ~kRequested) != pending->type) {
    ++oddities_.unasked;
    return;
  }
  if (pending->events++ != 0) {
    ++oddities_.repeated;
    return;
  }
  pending->call(pending->context, event);
}

bool VmRequests::is_answer(jint event_type) noexcept {
  switch (event_type & ~kRequested) {
    case kObjectAlloc:
    case kThreadStart:
    case kHeapDump:
    case kClassLoad:
    case kObjectDump:
      return true;
    default:
      return false;
  }
}

}  // namespace holdfast::jvmpi
