#include "common/capture_plan.h"

#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kNoLimit = UINT64_MAX;
// A heap of large arrays has far fewer objects than its bytes suggest, so memory is only refused when it is this much over.
constexpr std::uint64_t kMemoryDoubt = 4;

unsigned long long ms(std::uint64_t ns) noexcept { return ns / 1'000'000; }
unsigned long long mb(std::uint64_t bytes) noexcept { return bytes >> 20; }

// value * numerator / denominator without overflow for the sizes of heaps.
std::uint64_t scaled(std::uint64_t value, std::uint64_t numerator,
                     std::uint64_t denominator) noexcept {
  if (denominator == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(value) * static_cast<double>(numerator) /
                                    static_cast<double>(denominator));
}

DumpKind wanted_kind(const Options& options, const DumpRequest& request) noexcept {
  return request.kind != DumpKind::kAuto ? request.kind : options.dump;
}

CaptureChoice wanted_capture(const Options& options, const DumpRequest& request) noexcept {
  return request.capture != CaptureChoice::kAuto ? request.capture : options.capture;
}

CapturePlan histogram_plan(const Prediction& prediction) noexcept {
  return CapturePlan{CaptureRung::kHistogram, prediction.histogram_pause_ns, 0};
}

// Why the walk is not taken, as a note; true when there is such a reason.
bool walk_is_refused(const PlanQuestion& q, const Prediction& p, Notes& notes) noexcept {
  const std::uint64_t limit = pause_limit_ns(q.options, q.request);
  if (p.walk_pause_ns > limit) {
    notes.add(
        "no object graph: walking the heap would stop the application for about %llu ms, pause= "
        "allows %llu ms "
        "(a person's dump=extended,capture=walk takes it all the same)",
        ms(p.walk_pause_ns), ms(limit));
    return true;
  }
  if (p.capture_bytes / kMemoryDoubt > q.capture_budget_bytes) {
    notes.add("no object graph: about %llu MB are needed to capture it, memory= leaves %llu MB",
              mb(p.capture_bytes), mb(q.capture_budget_bytes));
    return true;
  }
  if (q.available_bytes != platforms::kUnknownBytes &&
      (p.capture_bytes + p.vm_tag_bytes) / kMemoryDoubt > q.available_bytes) {
    notes.add(
        "no object graph: about %llu MB are needed (%llu MB of them by the VM for tags), the "
        "system has %llu MB left",
        mb(p.capture_bytes + p.vm_tag_bytes), mb(p.vm_tag_bytes), mb(q.available_bytes));
    return true;
  }
  return false;
}

}  // namespace

void CaptureHistory::remember(const Capture& capture) noexcept {
  if (capture.has_graph) {
    walk_pause_ns = capture.pause_ns;
    walk_used_bytes = capture.heap_before.used_bytes;
    walk_objects = capture.snapshot.object_count();
    walk_references = capture.snapshot.reference_count();
  } else if (capture.rung == CaptureRung::kHistogram) {
    histogram_pause_ns = capture.pause_ns;
    histogram_used_bytes = capture.heap_before.used_bytes;
  }
}

Prediction predict(const HeapFigures& heap, const CaptureHistory& history,
                   std::uint64_t counted_objects) noexcept {
  Prediction p;
  p.objects = counted_objects != 0 ? counted_objects : heap.used_bytes / kFirstBytesPerObject;
  std::uint64_t references = p.objects * kFirstReferencesPerObject;
  p.walk_pause_ns = p.objects * kFirstWalkNsPerObject;
  p.histogram_pause_ns = p.objects * kFirstHistogramNsPerObject;
  if (history.walk_used_bytes != 0) {
    p.objects = scaled(heap.used_bytes, history.walk_objects, history.walk_used_bytes);
    references = scaled(heap.used_bytes, history.walk_references, history.walk_used_bytes);
    p.walk_pause_ns = scaled(heap.used_bytes, history.walk_pause_ns, history.walk_used_bytes);
  }
  if (history.histogram_used_bytes != 0)
    p.histogram_pause_ns =
        scaled(heap.used_bytes, history.histogram_pause_ns, history.histogram_used_bytes);
  p.capture_bytes = p.objects * kCaptureBytesPerObject + references * kCaptureBytesPerReference;
  p.vm_tag_bytes = p.objects * kVmTagBytesPerObject;
  return p;
}

std::uint64_t pause_limit_ns(const Options& options, const DumpRequest& request) noexcept {
  if (request.pause_limit_ns != 0) return request.pause_limit_ns;
  const bool walk_by_name = wanted_kind(options, request) == DumpKind::kExtended &&
                            wanted_capture(options, request) == CaptureChoice::kWalk;
  return trigger_by_person(request.trigger) && walk_by_name ? kNoLimit : options.pause_ns;
}

bool counting_may_help(const PlanQuestion& q, const CapturePlan& plan) noexcept {
  return plan.rung == CaptureRung::kHistogram &&
         wanted_kind(q.options, q.request) != DumpKind::kSimple && q.counted_objects == 0 &&
         q.history.walk_used_bytes == 0 &&
         predict(q.heap, q.history).histogram_pause_ns <= pause_limit_ns(q.options, q.request);
}

Result<CapturePlan> choose_plan(const PlanQuestion& q, Notes& notes) noexcept {
  const Prediction prediction = predict(q.heap, q.history, q.counted_objects);
  if (wanted_capture(q.options, q.request) == CaptureChoice::kFrozen) {
    notes.add("capture=frozen is not built yet");
    return make_error(ErrorCode::kRefused);
  }
  const DumpKind kind = wanted_kind(q.options, q.request);
  if (kind == DumpKind::kSimple || walk_is_refused(q, prediction, notes))
    return histogram_plan(prediction);
  return CapturePlan{CaptureRung::kWalk, prediction.walk_pause_ns, prediction.vm_tag_bytes};
}

}  // namespace holdfast
