#include "common/dump_request.h"

#include <algorithm>
#include <cstring>

namespace holdfast {

namespace {

// `auto` may become an extended dump, so it is richer than a simple one.
int richness(DumpKind kind) noexcept {
  switch (kind) {
    case DumpKind::kSimple:
      return 0;
    case DumpKind::kAuto:
      return 1;
    case DumpKind::kExtended:
      return 2;
  }
  return 0;
}

// A merged request asks for the richer kind, and for whatever either of the two named.
void merge_into(DumpRequest& kept, const DumpRequest& other) noexcept {
  if (richness(other.kind) > richness(kept.kind)) kept.kind = other.kind;
  if (kept.capture == CaptureChoice::kAuto) kept.capture = other.capture;
  // Whatever else asks says more than that a period is over, and a full heap more than a level.
  const bool first_by_person = trigger_by_person(kept.trigger);
  if (trigger_by_person(other.trigger) || kept.trigger == Trigger::kPeriodic ||
      (other.trigger == Trigger::kOom && !first_by_person))
    kept.trigger = other.trigger;
  if (kept.reason[0] == '\0' || other.trigger == Trigger::kOom)
    std::memcpy(kept.reason, other.reason, sizeof kept.reason);
  // A limit that somebody named counts, and the more patient one of two; 0 is the option's.
  kept.pause_limit_ns = std::max(kept.pause_limit_ns, other.pause_limit_ns);
  kept.then_exit = kept.then_exit || other.then_exit;
  kept.analyses |= other.analyses;
  kept.snapshot = kept.snapshot || other.snapshot;
  if (kept.file[0] == '\0') std::memcpy(kept.file, other.file, sizeof kept.file);
  ++kept.merged;
}

}  // namespace

std::string_view trigger_name(Trigger trigger) noexcept {
  switch (trigger) {
    case Trigger::kSignal:
      return "signal";
    case Trigger::kOom:
      return "oom";
    case Trigger::kExit:
      return "exit";
    case Trigger::kGc:
      return "gc";
    case Trigger::kStart:
      return "start";
    case Trigger::kPeriodic:
      return "every";
    case Trigger::kCommand:
      return "command";
    case Trigger::kHeapAbove:
      return "heap-above";
    case Trigger::kCgroupAbove:
      return "cgroup-above";
    case Trigger::kGrowth:
      return "growth";
  }
  return "unknown";
}

bool trigger_by_person(Trigger trigger) noexcept {
  return trigger == Trigger::kSignal || trigger == Trigger::kCommand;
}

std::string_view gate_answer_name(GateAnswer answer) noexcept {
  switch (answer) {
    case GateAnswer::kAccepted:
      return "accepted";
    case GateAnswer::kMerged:
      return "merged with the dump that is waiting";
    case GateAnswer::kCooldown:
      return "refused: a dump is running, or was finished within the cooldown";
    case GateAnswer::kClosed:
      return "refused: the VM is not ready or is exiting";
  }
  return "unknown";
}

GateAnswer DumpGate::offer(const DumpRequest& request) noexcept {
  const GateAnswer answer = decide(request);
  TriggerCounts& counts = by_trigger_[static_cast<std::size_t>(request.trigger)];
  const bool fired = answer == GateAnswer::kAccepted || answer == GateAnswer::kMerged;
  ++(fired ? counts.fired : counts.refused);
  return answer;
}

GateAnswer DumpGate::decide(const DumpRequest& request) noexcept {
  if (!open_) {
    ++counts_.refused_closed;
    return GateAnswer::kClosed;
  }
  if (waiting_) {
    merge_into(next_, request);
    ooms_waiting_ |= oom_bit(request);
    ooms_accepted_ |= ooms_waiting_;
    ++counts_.merged;
    return GateAnswer::kMerged;
  }
  // An exiting VM asks once and never again, and after the first OutOfMemoryError the VM may be gone: both pass as a person does.
  const bool first_oom = (oom_bit(request) & ~ooms_accepted_) != 0;
  const bool passes =
      trigger_by_person(request.trigger) || request.trigger == Trigger::kExit || first_oom;
  // Asked before the last one was finished counts as cooling too; the difference cannot overflow.
  const bool cooling = ever_finished_ && (request.asked_at_ns < last_finished_ns_ ||
                                          request.asked_at_ns - last_finished_ns_ < cooldown_ns_);
  const bool held_back = cooling && request.trigger != Trigger::kPeriodic;
  if (!passes && (held_back || running_)) {
    ++counts_.refused_cooldown;
    return GateAnswer::kCooldown;
  }
  next_ = request;
  waiting_ = true;
  ooms_waiting_ = oom_bit(request);
  ooms_accepted_ |= ooms_waiting_;
  ++counts_.accepted;
  return GateAnswer::kAccepted;
}

bool DumpGate::take(DumpRequest& out) noexcept {
  if (!waiting_ || running_) return false;
  out = next_;
  waiting_ = false;
  running_ = true;
  running_periodic_ = out.trigger == Trigger::kPeriodic;
  return true;
}

// The dump of an OutOfMemoryError that is dropped was none: the next one counts as the first.
void DumpGate::drop_waiting() noexcept {
  if (waiting_) ooms_accepted_ &= ~ooms_waiting_;
  waiting_ = false;
}

void DumpGate::finished(std::uint64_t now_ns, bool cools) noexcept {
  running_ = false;
  if (running_periodic_ || !cools) return;
  ever_finished_ = true;
  last_finished_ns_ = now_ns;
}

}  // namespace holdfast
