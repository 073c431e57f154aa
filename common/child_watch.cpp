#include "common/child_watch.h"

#include <algorithm>

#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/memory_watch.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kLookEveryNs = 1'000'000;
// Below this the child goes: measured to be enough for the millisecond until it is gone.
constexpr std::uint64_t kLeastLeftBytes = std::uint64_t{25} << 20;

ChildVerdict verdict_of(const platforms::ChildEnd& end, const ChildMailbox& mailbox) noexcept {
  const bool told = mailbox.phase.load(std::memory_order_acquire) == ChildPhase::kEnded;
  return end.state == platforms::ChildState::kExited && told ? ChildVerdict::kEnded
                                                             : ChildVerdict::kCrashed;
}

// Waits for the end of a child that was told to go.
ChildEndReport end_child(std::int64_t process, ChildVerdict why, ChildEndReport report) noexcept {
  platforms::kill_child(process);
  while (platforms::poll_child(process).state == platforms::ChildState::kRunning)
    platforms::sleep_ns(kLookEveryNs / 4);
  report.verdict = why;
  return report;
}

}  // namespace

const char* child_verdict_text(ChildVerdict verdict) noexcept {
  switch (verdict) {
    case ChildVerdict::kEnded:
      return "it ended";
    case ChildVerdict::kCrashed:
      return "the child that read the heap ended without a result";
    case ChildVerdict::kNoMemory:
      return "memory ran short while the child read the heap";
    case ChildVerdict::kCancelled:
      return "it was withdrawn";
    case ChildVerdict::kTooLong:
      return "the child that read the heap took too long";
  }
  return "?";
}

ChildEndReport watch_child(std::int64_t process, const ChildMailbox& mailbox,
                           const CancelToken& cancel, std::uint64_t deadline_ns) noexcept {
  ChildEndReport report;
  platforms::MemoryWatch memory;
  memory.open();
  const std::uint64_t left_at_start = memory.left_bytes();
  for (;;) {
    const platforms::ChildEnd end = platforms::poll_child(process);
    if (end.state != platforms::ChildState::kRunning) {
      report.verdict = verdict_of(end, mailbox);
      report.status = end.status;
      return report;
    }
    if (cancel.cancelled()) return end_child(process, ChildVerdict::kCancelled, report);
    if (platforms::monotonic_ns() > deadline_ns)
      return end_child(process, ChildVerdict::kTooLong, report);
    const std::uint64_t left = memory.left_bytes();
    if (left != platforms::kUnknownBytes) {
      if (left < kLeastLeftBytes) return end_child(process, ChildVerdict::kNoMemory, report);
      if (left < left_at_start)
        report.memory_used = std::max(report.memory_used, left_at_start - left);
    }
    platforms::sleep_ns(kLookEveryNs);
  }
}

}  // namespace holdfast
