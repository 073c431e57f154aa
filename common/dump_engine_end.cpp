// How the engine is waited for, and how it and its capture thread come to their ends.
#include "common/dump_engine.h"
#include "common/log.h"
#include "platforms/clock.h"

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

bool DumpEngine::wait_captured(std::uint64_t deadline_ns) noexcept {
  platforms::MutexLock lock(mutex_);
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

bool DumpEngine::close(std::uint64_t deadline_ns) noexcept {
  {
    platforms::MutexLock lock(mutex_);
    gate_.close();
  }
  bool quiet = wait_idle(deadline_ns);
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
