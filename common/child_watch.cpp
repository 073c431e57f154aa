#include "common/child_watch.h"

#include <algorithm>

#include "common/capture_plan.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::uint64_t kWatchEveryNs = 1'000'000;

// While a CPU quota holds the application back, the child takes a quarter of the time only, once it has let go of the heap.
class Politeness {
 public:
  explicit Politeness(std::int64_t process) noexcept : process_(process) {}
  ~Politeness() { go_on(); }
  Politeness(const Politeness&) = delete;
  Politeness& operator=(const Politeness&) = delete;

  void look(std::uint64_t now_ns, bool throttled, const ChildMailbox& mailbox) noexcept {
    const bool released = mailbox.phase.load(std::memory_order_acquire) >= ChildPhase::kReleased;
    if (held_) {
      if (now_ns >= change_at_ns_) go_on();
    } else if (throttled && released && now_ns >= change_at_ns_) {
      platforms::hold_child(process_);
      held_ = true;
      change_at_ns_ = now_ns + kHoldNs;
    }
  }

 private:
  static constexpr std::uint64_t kHoldNs = 150'000'000;
  static constexpr std::uint64_t kRunNs = 50'000'000;
  void go_on() noexcept {
    if (!held_) return;
    platforms::resume_child(process_);
    held_ = false;
    change_at_ns_ += kRunNs;
  }
  std::int64_t process_;
  std::uint64_t change_at_ns_ = 0;
  bool held_ = false;
};

// Numbers of signals on every Linux.
constexpr int kIllegal = 4, kTrap = 5, kAbort = 6, kBus = 7, kArithmetic = 8, kSegment = 11;
constexpr int kWatchdog = 14;

bool is_fault(const platforms::ChildEnd& end) noexcept {
  constexpr std::uint32_t kFaults =
      1u << kIllegal | 1u << kTrap | 1u << kAbort | 1u << kBus | 1u << kArithmetic | 1u << kSegment;
  return end.state == platforms::ChildState::kKilled && end.status < 32 &&
         (kFaults >> end.status & 1u) != 0;
}

ChildVerdict verdict_of(const platforms::ChildEnd& end, const ChildMailbox& mailbox) noexcept {
  if (end.state == platforms::ChildState::kKilled && end.status == kWatchdog)
    return ChildVerdict::kTooLong;
  const bool told = mailbox.phase.load(std::memory_order_acquire) == ChildPhase::kEnded;
  return end.state == platforms::ChildState::kExited && told ? ChildVerdict::kEnded
                                                             : ChildVerdict::kCrashed;
}

// Waits for the end of a child that was told to go.
ChildEndReport end_child(std::int64_t process, ChildVerdict why, ChildEndReport report) noexcept {
  platforms::kill_child(process);
  platforms::ChildEnd end = platforms::poll_child(process);
  for (; end.state == platforms::ChildState::kRunning; end = platforms::poll_child(process))
    platforms::sleep_ns(kWatchEveryNs / 4);
  report.cpu_ns = end.cpu_ns;
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
                           platforms::MemoryWatch& memory, const CancelToken& cancel,
                           std::uint64_t deadline_ns) noexcept {
  ChildEndReport report;
  const std::uint64_t left_at_start = memory.left_bytes();
  Politeness politeness(process);
  for (;;) {
    const platforms::ChildEnd end = platforms::poll_child(process);
    if (end.state != platforms::ChildState::kRunning) {
      report.verdict = verdict_of(end, mailbox);
      report.status = end.status;
      report.cpu_ns = end.cpu_ns;
      report.faulted = is_fault(end);
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
    politeness.look(platforms::monotonic_ns(), memory.throttled(), mailbox);
    platforms::sleep_ns(kWatchEveryNs);
  }
}

}  // namespace holdfast
