// How the engine is waited for, and how it and its capture thread come to their ends.
#include <algorithm>

#include "common/dump_engine.h"
#include "common/log.h"
#include "platforms/clock.h"
#include "platforms/process.h"

namespace holdfast {

namespace {

constexpr std::size_t kCaptureStackBytes = std::size_t{512} << 10;
// How long a cancelled pass may take to notice; passes look every few thousand steps.
constexpr std::uint64_t kCancelGraceNs = 2'000'000'000;

}  // namespace

// -- the capture thread, the VM's or ours --

Result<void> DumpEngine::start_capture_thread() noexcept {
  set_capture_thread_runs(true);
  if (adapter_->start_capture_thread(&DumpEngine::capture_thread, this)) return {};
  const int refused =
      capture_thread_.start("hf-capture", kCaptureStackBytes, &DumpEngine::capture_thread, this);
  if (refused == 0) return {};
  set_capture_thread_runs(false);
  return make_error(ErrorCode::kOutOfMemory, refused);
}

void DumpEngine::set_capture_thread_runs(bool runs) noexcept {
  platforms::MutexLock lock(mutex_);
  capture_thread_runs_ = runs;
  changed_.notify_all();
}

// A thread of the VM's own making cannot be joined, and need never have run; it touches nothing of ours any more once it has said that it
// ends.
bool DumpEngine::join_capture_thread(std::uint64_t deadline_ns) noexcept {
  if (capture_thread_.running()) return capture_thread_.join(), true;
  platforms::MutexLock lock(mutex_);
  while (capture_thread_runs_)
    if (!changed_.wait_until(mutex_, deadline_ns)) return !capture_thread_runs_;
  return true;
}

// -- waiting and closing --

bool DumpEngine::captured() const noexcept {
  return closing_ || (!gate_.waiting() && phase_ != Phase::kTaken && phase_ != Phase::kCapturing);
}

bool DumpEngine::idle() const noexcept {
  return closing_ || (!gate_.waiting() && phase_ == Phase::kIdle);
}

// The dump that runs is no person's and not one of a process that may end, while one of these waits for it: on a machine whose cores are
// all busy its analysis may take longer than the process lives.
bool DumpEngine::gives_way() const noexcept {
  const Trigger trigger = running_.trigger;
  return gate_.waiting() && phase_ == Phase::kAnalysing && !trigger_by_person(trigger) &&
         trigger != Trigger::kOom && trigger != Trigger::kExit && !running_.then_exit;
}

// Half of the time is the running dump's.
bool DumpEngine::wait_captured(std::uint64_t deadline_ns) noexcept {
  const std::uint64_t now = platforms::monotonic_ns();
  const std::uint64_t half = now + (deadline_ns > now ? (deadline_ns - now) / 2 : 0);
  platforms::MutexLock lock(mutex_);
  while (!captured() && platforms::monotonic_ns() < half) changed_.wait_until(mutex_, half);
  if (gives_way()) {
    log_line(LogLevel::kError,
             "dump %u gives way to the one of a process that may be ending: its analysis would "
             "take too long",
             running_.number);
    cancel_.cancel();
  }
  while (!captured())
    if (!changed_.wait_until(mutex_, deadline_ns)) return captured();
  return true;
}

bool DumpEngine::wait_idle(std::uint64_t deadline_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  while (!idle())
    if (!changed_.wait_until(mutex_, deadline_ns)) return idle();
  return true;
}

// -- a child that goes on without us --

bool DumpEngine::outlived() noexcept { return !platforms::ends_its_container(); }

bool DumpEngine::with_child_alone() const noexcept {
  return phase_ == Phase::kAnalysing && child_is_complete_ && outlived();
}

// A report is there, whatever becomes of the child.
bool DumpEngine::has_basic() const noexcept {
  return phase_ == Phase::kAnalysing && child_is_complete_ &&
         mailbox_->phase.load(std::memory_order_acquire) == ChildPhase::kPublished;
}

bool DumpEngine::safe() const noexcept {
  return closing_ ||
         (!gate_.waiting() && (phase_ == Phase::kIdle || with_child_alone() || has_basic()));
}

// Nobody is notified of what a child publishes: it is looked for.
bool DumpEngine::wait_safe(std::uint64_t deadline_ns) noexcept {
  constexpr std::uint64_t kLookNs = 20'000'000;
  platforms::MutexLock lock(mutex_);
  while (!safe()) {
    const std::uint64_t now = platforms::monotonic_ns();
    if (now >= deadline_ns) return false;
    changed_.wait_until(mutex_, std::min(deadline_ns, now + kLookNs));
  }
  return true;
}

void DumpEngine::expect_end(bool for_good) noexcept {
  platforms::MutexLock lock(mutex_);
  end_expected_ = end_expected_ || for_good;
  if (child_is_complete_) mailbox_->may_outlive.store(true, std::memory_order_release);
}

// What may be the last dump of this process need not be asked for at the end to be left to its child.
void DumpEngine::child_needs_us_no_more() noexcept {
  platforms::MutexLock lock(mutex_);
  const Trigger trigger = running_.trigger;
  const bool may_be_last = trigger == Trigger::kOom || trigger == Trigger::kExit ||
                           running_.then_exit || gate_.oom_waiting();
  phase_ = Phase::kAnalysing;
  child_is_complete_ = true;
  mailbox_->may_outlive.store(end_expected_ || may_be_last, std::memory_order_release);
  changed_.notify_all();
}

void DumpEngine::forget_child() noexcept {
  platforms::MutexLock lock(mutex_);
  child_is_complete_ = false;
}

// True: its child finishes the running dump, and our thread goes on watching it for as long as the process lives.
bool DumpEngine::leave_to_child() noexcept {
  platforms::MutexLock lock(mutex_);
  if (!with_child_alone()) return false;
  if (gate_.waiting())
    log_line(LogLevel::kError, "the VM exits: the dump that waits is not made, another one runs");
  gate_.drop_waiting();
  left_to_child_ = true;
  return true;
}

// The thread that has watched a child until after the VM's end: nothing of the VM may be called any more.
void DumpEngine::end_left_behind() noexcept {
  constexpr std::uint64_t kForeverNs = 3'600'000'000'000;
  const auto left = [this] {
    platforms::MutexLock lock(mutex_);
    return left_to_child_;
  };
  while (left()) platforms::sleep_ns(kForeverNs);
}

bool DumpEngine::close(std::uint64_t deadline_ns) noexcept {
  {
    platforms::MutexLock lock(mutex_);
    gate_.close();
  }
  expect_end(true);
  bool quiet = wait_idle(deadline_ns);
  if (!quiet && leave_to_child()) {
    log_line(
        LogLevel::kError,
        "the VM exits: exit-wait= is over, and the running dump is finished by its own process");
    end_threads();
    capture_thread_.detach();
    return false;
  }
  if (!quiet) {
    log_line(LogLevel::kError, "the VM exits: the running dump is ended (exit-wait= is over)");
    give_up_waiting();
    quiet = wait_idle(platforms::monotonic_ns() + kCancelGraceNs);
  }
  end_threads();
  quiet = wait_counted(platforms::monotonic_ns() + kCancelGraceNs) && quiet;
  if (!quiet) {  // a thread is stuck inside the VM: the process ends without it
    capture_thread_.detach();
    return false;
  }
  const bool ended = join_capture_thread(platforms::monotonic_ns() + kCancelGraceNs);
  loop_.stop();
  return ended;
}

void DumpEngine::close_patiently() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    gate_.close();
  }
  give_up_waiting();
  while (!wait_idle(platforms::monotonic_ns() + kCancelGraceNs)) continue;
  end_threads();
  while (!join_capture_thread(platforms::monotonic_ns() + kCancelGraceNs)) continue;
  loop_.stop();
}

void DumpEngine::give_up_waiting() noexcept {
  platforms::MutexLock lock(mutex_);
  gate_.drop_waiting();
  given_up_ = true;
  cancel_.cancel();
  changed_.notify_all();
}

void DumpEngine::end_threads() noexcept {
  platforms::MutexLock lock(mutex_);
  closing_ = true;
  count_cancel_.cancel();
  changed_.notify_all();
}

}  // namespace holdfast
