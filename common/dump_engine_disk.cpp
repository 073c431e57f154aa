// The engine's look at the disk before a capture: no pause for a report that cannot be written.
#include "common/disk_room.h"
#include "common/dump_engine.h"
#include "platforms/file.h"

namespace holdfast {

namespace {

unsigned long long kb(std::uint64_t bytes) noexcept { return bytes >> 10; }

}  // namespace

// The graph's own file is left out where there is no room for it; without room for the report there is no dump.
Result<void> DumpEngine::make_disk_room(const PlanQuestion& question, CapturePlan& plan) noexcept {
  const std::uint64_t report = most_report_bytes(plan);
  std::uint64_t free = platforms::free_disk_bytes(options_.dir);
  if (free < report) {
    tidy();
    free = platforms::free_disk_bytes(options_.dir);
  }
  if (free < report) {
    record_.notes.add("the disk is too full: %.150s has %llu KB free, the report may need %llu KB",
                      options_.dir, kb(free), kb(report));
    return make_error(ErrorCode::kRefused, static_cast<std::int64_t>(free));
  }
  const bool written = plan.rung == CaptureRung::kFrozenWritten;
  const bool kept = options_.snapshot || record_.request.snapshot;
  const std::uint64_t graph = snapshot_bytes_estimate(predict(question));
  if ((!written && !kept) || free - report >= graph) return {};
  record_.notes.add("no snapshot: %.150s has %llu KB free, the graph may need %llu KB",
                    options_.dir, kb(free), kb(graph));
  options_.snapshot = record_.request.snapshot = false;
  if (!written) return {};
  plan.rung = CaptureRung::kFrozen;
  plan.graph = false;
  return {};
}

}  // namespace holdfast
