#include "common/capture_plan.h"

#include <algorithm>

namespace holdfast {

namespace {

std::uint64_t age_bytes(const PlanQuestion& q, std::uint64_t objects) noexcept {
  return q.options.ages != AgesChoice::kOff ? objects * sizeof(AgeCode) : 0;
}

constexpr std::uint64_t kNoLimit = UINT64_MAX;
// A heap of large arrays has far fewer objects than its bytes suggest, so memory is only refused when it is this much over. Where the
// adapter has seen how large objects are, less is in doubt.
constexpr std::uint64_t kMemoryDoubt = 4;
constexpr std::uint64_t kMeasuredDoubt = 2;
std::uint64_t memory_doubt(const PlanQuestion& q) noexcept {
  return q.costs.object_bytes_are_measured ? kMeasuredDoubt : kMemoryDoubt;
}

unsigned long long ms(std::uint64_t ns) noexcept { return ns / 1'000'000; }
unsigned long long whole_mb(std::uint64_t bytes) noexcept { return bytes >> 20; }

// The graph would not fit: neither into memory= nor beside the application.
bool graph_is_too_large(const PlanQuestion& q, const FrozenPrediction& p, Notes& notes) noexcept {
  if (p.graph_bytes / memory_doubt(q) > q.capture_budget_bytes) {
    notes.add("the graph is only written: it needs about %llu MB, memory= leaves %llu MB",
              whole_mb(p.graph_bytes), whole_mb(q.capture_budget_bytes));
    return true;
  }
  if (p.growth_bytes > q.available_bytes) {
    notes.add("the graph is only written: about %llu MB are needed, the system has %llu MB left",
              whole_mb(p.growth_bytes), whole_mb(q.available_bytes));
    return true;
  }
  return false;
}

// value * numerator / denominator without overflow for the sizes of heaps.
std::uint64_t scaled(std::uint64_t value, std::uint64_t numerator,
                     std::uint64_t denominator) noexcept {
  if (denominator == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(value) * static_cast<double>(numerator) /
                                    static_cast<double>(denominator));
}

// What took `ns` with `then` bytes, with `now` bytes: all but its base grows with them.
std::uint64_t grown(std::uint64_t base_ns, std::uint64_t ns, std::uint64_t now,
                    std::uint64_t then) noexcept {
  const std::uint64_t base = std::min(base_ns, ns);
  return base + scaled(ns - base, now, then);
}

// What takes `ns` with a CPU of its own.
std::uint64_t slowed(const PlanQuestion& q, std::uint64_t ns) noexcept {
  return scaled(ns, q.slowdown_percent, 100);
}

const char* why_so_long(const PlanQuestion& q) noexcept {
  return q.slowdown_percent >= kBusyPercent ? " because the machine is busy" : "";
}

std::uint64_t first_clone_ns(std::uint64_t resident_bytes) noexcept {
  return kFirstFrozenBaseNs +
         scaled(resident_bytes, kFirstClonePauseNsPerGb, std::uint64_t{1} << 30);
}

// What a stop of `ns` says of one with a CPU of its own, where `known_ns` was known or predicted of that before.
std::uint64_t at_rest(const CapturePlan& plan, std::uint64_t ns, std::uint64_t known_ns) noexcept {
  const std::uint64_t rested = scaled(ns, 100, plan.slowdown_percent);
  return plan.slowdown_percent < kBusyPercent ? rested : std::max(rested, std::min(ns, known_ns));
}

DumpKind wanted_kind(const Options& options, const DumpRequest& request) noexcept {
  return request.kind != DumpKind::kAuto ? request.kind : options.dump;
}

CaptureChoice wanted_capture(const Options& options, const DumpRequest& request) noexcept {
  return request.capture != CaptureChoice::kAuto ? request.capture : options.capture;
}

CapturePlan histogram_plan(const Prediction& prediction) noexcept {
  return CapturePlan{CaptureRung::kHistogram, prediction.histogram_pause_ns};
}

// Would taking `bytes` bring the system, or the container, near its end?
bool leaves_too_little(const PlanQuestion& q, std::uint64_t bytes) noexcept {
  return q.available_bytes != platforms::kUnknownBytes &&
         bytes + kLeastLeftBytes > q.available_bytes;
}

// What is left for ours beside `bytes` that are none of our ledger's.
std::uint64_t room_beside(const PlanQuestion& q, std::uint64_t bytes) noexcept {
  if (q.available_bytes == platforms::kUnknownBytes) return UINT64_MAX;
  return q.available_bytes - std::min(q.available_bytes, bytes + kLeastLeftBytes);
}

// Why the frozen rung cannot be taken at any pause, as a note; true when there is such a reason.
bool frozen_is_impossible(const PlanQuestion& q, const FrozenPrediction& p, Notes& notes) noexcept {
  if (q.frozen_refusal[0] != '\0') {
    if (q.may_freeze || wanted_capture(q.options, q.request) == CaptureChoice::kFrozen)
      notes.add("no frozen capture: %.200s", q.frozen_refusal);
    return true;
  }
  if (leaves_too_little(q, p.least_growth_bytes)) {
    notes.add(
        "no frozen capture: about %llu MB are needed beside the application, the system has %llu "
        "MB left",
        whole_mb(p.least_growth_bytes), whole_mb(q.available_bytes));
    return true;
  }
  return false;
}

// The same, of what pause= allows.
bool frozen_is_refused(const PlanQuestion& q, const FrozenPrediction& p, Notes& notes) noexcept {
  if (frozen_is_impossible(q, p, notes)) return true;
  const std::uint64_t limit = pause_limit_ns(q.options, q.request, CaptureRung::kFrozen);
  if (p.pause_ns <= limit) return false;
  notes.add(
      "no frozen capture: it would stop the application for about %llu ms%s, pause= allows "
      "%llu ms",
      ms(p.pause_ns), why_so_long(q), ms(limit));
  return true;
}

// Why the walk is not taken, as a note; true when there is such a reason.
bool walk_is_refused(const PlanQuestion& q, const Prediction& p, Notes& notes) noexcept {
  const std::uint64_t limit = pause_limit_ns(q.options, q.request, CaptureRung::kWalk);
  if (p.walk_pause_ns > limit) {
    notes.add(
        "no object graph: walking the heap would stop the application for about %llu ms%s, pause= "
        "allows %llu ms "
        "(a person's dump=extended,capture=walk takes it all the same)",
        ms(p.walk_pause_ns), why_so_long(q), ms(limit));
    return true;
  }
  if (p.capture_bytes / memory_doubt(q) > q.capture_budget_bytes) {
    notes.add("no object graph: about %llu MB are needed to capture it, memory= leaves %llu MB",
              whole_mb(p.capture_bytes), whole_mb(q.capture_budget_bytes));
    return true;
  }
  // What a child was ended for, the process itself would be killed for.
  if (q.memory_ran_short) {
    notes.add("no object graph: memory ran short while a child read the heap");
    return true;
  }
  if (leaves_too_little(q, (p.capture_bytes + p.vm_tag_bytes) / memory_doubt(q))) {
    notes.add(
        "no object graph: about %llu MB are needed (%llu MB of them by the VM for tags), the "
        "system has %llu MB left",
        whole_mb(p.capture_bytes + p.vm_tag_bytes), whole_mb(p.vm_tag_bytes),
        whole_mb(q.available_bytes));
    return true;
  }
  return false;
}

// The application will not be there for another dump, or cannot be expected to.
bool comes_once(const DumpRequest& request) noexcept {
  return request.trigger == Trigger::kOom || request.trigger == Trigger::kExit ||
         request.trigger == Trigger::kCgroupAbove || request.then_exit;
}

CapturePlan frozen_plan(const PlanQuestion& q, const FrozenPrediction& p, bool simple,
                        Notes& notes) noexcept {
  CapturePlan plan;
  plan.rung = CaptureRung::kFrozen;
  plan.predicted_pause_ns = p.pause_ns;
  plan.pause_limit_ns = pause_limit_ns(q.options, q.request, CaptureRung::kFrozen);
  plan.graph = !simple;
  plan.roots_limit_ns = p.roots_limit_ns;
  plan.predicted_growth_bytes = p.growth_bytes;
  plan.system_room_bytes = room_beside(q, p.least_growth_bytes);
  if (simple) plan.predicted_growth_bytes = p.least_growth_bytes;
  if (!simple && graph_is_too_large(q, p, notes)) {
    plan.rung = CaptureRung::kFrozenWritten;
    plan.predicted_growth_bytes = p.least_growth_bytes;
  }
  return plan;
}

}  // namespace

void CaptureHistory::remember(const CapturePlan& plan, const Capture& capture) noexcept {
  const std::uint64_t known_ns = scaled(plan.predicted_pause_ns, 100, plan.slowdown_percent);
  if (capture.has_graph) {
    walk_pause_ns = at_rest(plan, capture.pause_ns, known_ns);
    walk_used_bytes = graph_used_bytes = capture.heap_before.used_bytes;
    graph_objects = capture.snapshot.object_count();
    graph_references = capture.snapshot.reference_count();
  } else if (capture.rung == CaptureRung::kHistogram) {
    histogram_pause_ns = at_rest(plan, capture.pause_ns, known_ns);
    histogram_used_bytes = capture.heap_before.used_bytes;
  }
}

void CaptureHistory::remember_freeze(const CapturePlan& plan, const FrozenChild& child,
                                     std::uint64_t resident_bytes) noexcept {
  // A collection at the same safepoint is no price of the next freeze.
  const std::uint64_t roots_ns = std::min(child.pause.roots_ns, child.pause.pause_ns);
  const std::uint64_t taken_ns =
      std::min(child.pause.pause_ns - roots_ns, child.pause.clone_ns + kMostRootsNs);
  const std::uint64_t known_ns =
      frozen_resident_bytes != 0 ? scaled(resident_bytes, frozen_pause_ns, frozen_resident_bytes)
                                 : first_clone_ns(resident_bytes);
  frozen_pause_ns = at_rest(plan, taken_ns, known_ns);
  frozen_resident_bytes = resident_bytes;
}

void CaptureHistory::remember_frozen(const CapturePlan& plan, const FrozenChild& child,
                                     std::uint64_t resident_bytes, std::uint64_t objects,
                                     std::uint64_t references) noexcept {
  remember_freeze(plan, child, resident_bytes);
  graph_used_bytes = child.heap_before.used_bytes;
  graph_objects = objects;
  graph_references = references;
}

namespace {

// Half of what the clone leaves of the pause: on a busy machine both take twice as long. Counts need no frames, only what they hold.
void add_roots(const PlanQuestion& q, FrozenPrediction& p) noexcept {
  constexpr std::uint64_t kMostForCounts = 10'000'000;
  std::uint64_t limit = pause_limit_ns(q.options, q.request, CaptureRung::kFrozen);
  if (limit == kNoLimit) limit = q.options.pause_ns;
  if (q.roots.may_be_cut) {
    p.roots_limit_ns = limit > p.pause_ns ? (limit - p.pause_ns) / 2 : 0;
    if (wanted_kind(q.options, q.request) == DumpKind::kSimple)
      p.roots_limit_ns = std::min(p.roots_limit_ns, kMostForCounts);
    if (slowed(q, q.roots.walk_ns) > p.roots_limit_ns) p.roots_limit_ns = 0;
  }
  if (p.roots_limit_ns != 0) p.pause_ns += slowed(q, q.roots.walk_ns);
}

}  // namespace

FrozenPrediction predict_frozen(const PlanQuestion& q, const Prediction& heap) noexcept {
  FrozenPrediction p;
  const std::uint64_t resident =
      q.resident_bytes != platforms::kUnknownBytes ? q.resident_bytes : q.heap.committed_bytes;
  p.pause_ns = first_clone_ns(resident) + q.roots.threads_ns;
  if (q.history.frozen_resident_bytes != 0)
    p.pause_ns = scaled(resident, q.history.frozen_pause_ns, q.history.frozen_resident_bytes);
  p.pause_ns = slowed(q, p.pause_ns);
  add_roots(q, p);
  p.graph_bytes = heap.objects * kSealedBytesPerObject + age_bytes(q, heap.objects) +
                  heap.references * kSealedBytesPerReference;
  p.least_growth_bytes = q.heap.used_bytes / kCopiedHeapDivisor + q.heap.used_bytes / kMarkDivisor;
  p.growth_bytes = heap.objects * kChildBytesPerObject + age_bytes(q, heap.objects) +
                   heap.references * kChildBytesPerReference + p.least_growth_bytes;
  return p;
}

Prediction predict(const PlanQuestion& q) noexcept {
  const CaptureHistory& history = q.history;
  const std::uint64_t used = q.heap.used_bytes;
  Prediction p;
  p.objects = q.counted_objects != 0 ? q.counted_objects : used / q.costs.bytes_per_object;
  p.references = p.objects * q.costs.references_per_object;
  p.walk_pause_ns = q.costs.walk_base_ns + p.objects * q.costs.walk_ns_per_object;
  p.histogram_pause_ns = q.costs.histogram_base_ns + p.objects * q.costs.histogram_ns_per_object;
  if (history.graph_used_bytes != 0) {
    p.objects = scaled(used, history.graph_objects, history.graph_used_bytes);
    p.references = scaled(used, history.graph_references, history.graph_used_bytes);
    p.walk_pause_ns = q.costs.walk_base_ns + p.objects * q.costs.walk_ns_per_object;
  }
  p.walk_pause_ns += q.roots.walk_ns;
  p.histogram_pause_ns += q.roots.frames_ns;
  if (history.walk_used_bytes != 0)
    p.walk_pause_ns =
        grown(q.costs.walk_base_ns, history.walk_pause_ns, used, history.walk_used_bytes);
  if (history.histogram_used_bytes != 0)
    p.histogram_pause_ns = grown(q.costs.histogram_base_ns, history.histogram_pause_ns, used,
                                 history.histogram_used_bytes);
  p.walk_pause_ns = slowed(q, p.walk_pause_ns);
  p.histogram_pause_ns = slowed(q, p.histogram_pause_ns);
  p.capture_bytes = p.objects * q.costs.capture_bytes_per_object +
                    p.references * q.costs.capture_bytes_per_reference;
  p.vm_tag_bytes = p.objects * q.costs.vm_tag_bytes_per_object;
  return p;
}

std::uint64_t pause_limit_ns(const Options& options, const DumpRequest& request,
                             CaptureRung rung) noexcept {
  if (request.pause_limit_ns != 0) return request.pause_limit_ns;
  if (!trigger_by_person(request.trigger)) return options.pause_ns;
  const bool extended = wanted_kind(options, request) == DumpKind::kExtended;
  const bool walk_by_name = extended && asks_for_walk(wanted_capture(options, request));
  const bool frozen_by_kind = request.kind == DumpKind::kExtended && rung != CaptureRung::kWalk;
  return walk_by_name || frozen_by_kind ? kNoLimit : options.pause_ns;
}

bool counting_may_help(const PlanQuestion& q, const CapturePlan& plan) noexcept {
  return plan.rung == CaptureRung::kHistogram &&
         wanted_kind(q.options, q.request) != DumpKind::kSimple && q.counted_objects == 0 &&
         q.history.graph_used_bytes == 0 &&
         predict(q).histogram_pause_ns <=
             pause_limit_ns(q.options, q.request, CaptureRung::kHistogram);
}

namespace {

// Counting in place goes on to its end once it has begun. Where that takes longer than pause= allows, nothing is dumped; a dump that comes
// once takes the way that stops the application for less.
Result<CapturePlan> choose_counting(const PlanQuestion& q, const Prediction& prediction,
                                    const FrozenPrediction& frozen, bool simple,
                                    Notes& notes) noexcept {
  const std::uint64_t limit = pause_limit_ns(q.options, q.request, CaptureRung::kHistogram);
  if (prediction.histogram_pause_ns <= limit) return histogram_plan(prediction);
  Notes unsaid;
  const bool may_freeze = wanted_capture(q.options, q.request) == CaptureChoice::kAuto;
  const bool freezes = may_freeze && frozen.pause_ns < prediction.histogram_pause_ns &&
                       !frozen_is_impossible(q, frozen, unsaid);
  if (!comes_once(q.request)) {
    notes.add("no dump: %s would stop the application for about %llu ms%s, pause= allows %llu ms",
              freezes ? "a fork snapshot" : "counting",
              ms(freezes ? frozen.pause_ns : prediction.histogram_pause_ns), why_so_long(q),
              ms(limit));
    return make_error(ErrorCode::kRefused);
  }
  CapturePlan plan = freezes ? frozen_plan(q, frozen, simple, notes) : histogram_plan(prediction);
  plan.pause_limit_ns = kNoLimit;
  notes.add("pause= allows %llu ms, nothing stops the application for less than about %llu ms",
            ms(limit), ms(plan.predicted_pause_ns));
  return plan;
}

Result<CapturePlan> choose_rung(const PlanQuestion& q, Notes& notes) noexcept {
  const Prediction prediction = predict(q);
  const CaptureChoice choice = wanted_capture(q.options, q.request);
  const bool simple = wanted_kind(q.options, q.request) == DumpKind::kSimple;
  const FrozenPrediction frozen = predict_frozen(q, prediction);
  // Counting a small heap in place stops the application for less than a child would, and tells no ages.
  const bool aged = q.options.ages != AgesChoice::kOff && q.costs.ages_by_frozen_alone;
  const bool quicker = !simple || aged || frozen.pause_ns < prediction.histogram_pause_ns;
  if (choice == CaptureChoice::kFrozen || (choice == CaptureChoice::kAuto && quicker)) {
    Notes unsaid;
    const bool unasked = simple && choice == CaptureChoice::kAuto && !q.frozen_was_tried;
    if (!frozen_is_refused(q, frozen, unasked ? unsaid : notes))
      return frozen_plan(q, frozen, simple, notes);
    if (choice == CaptureChoice::kFrozen) return make_error(ErrorCode::kRefused);
  }
  if (simple || walk_is_refused(q, prediction, notes))
    return choose_counting(q, prediction, frozen, simple, notes);
  CapturePlan plan;
  plan.rung = CaptureRung::kWalk;
  plan.predicted_pause_ns = prediction.walk_pause_ns;
  plan.pause_limit_ns = pause_limit_ns(q.options, q.request, CaptureRung::kWalk);
  plan.predicted_vm_tag_bytes = prediction.vm_tag_bytes;
  plan.system_room_bytes = room_beside(q, prediction.vm_tag_bytes);
  return plan;
}

}  // namespace

Result<CapturePlan> choose_plan(const PlanQuestion& q, Notes& notes) noexcept {
  HF_TRY(plan, choose_rung(q, notes));
  plan.ages = q.options.ages != AgesChoice::kOff;
  plan.track = q.options.track;
  plan.asked = wanted_capture(q.options, q.request);
  plan.slowdown_percent = q.slowdown_percent;
  return plan;
}

}  // namespace holdfast
