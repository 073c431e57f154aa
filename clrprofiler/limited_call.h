// A call of the runtime that may not come back in time, made by a thread of its own, so that whoever wants it can give up.
// Why: ForceGC comes back when its collection is over, and that one waits for a collection in the background and for every managed
//      thread to stand still; nothing calls it off. And what a session makes of the thread that starts it (README.md, threads and
//      calls) ends with that thread.
// Shape:  one thread a call, which ends with it. Whoever has given up leaves the thread alone; until it is back no other call is made.
// Zone:   capture; the body runs on the call's own thread, and from the moment of giving up it touches only what outlives it.
// Errors: begin(): kRefused while the call before is not back; kOutOfMemory with the errno when the system gives no thread.
#pragma once

#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast::clr {

class LimitedCall {
 public:
  using Body = void (*)(void* context) noexcept;

  LimitedCall() = default;
  LimitedCall(const LimitedCall&) = delete;
  LimitedCall& operator=(const LimitedCall&) = delete;

  Result<void> begin(Body body, void* context) noexcept;
  // Waits until it is back, at most until `deadline_ns` (monotonic). False: it is not.
  bool wait(std::uint64_t deadline_ns) noexcept;
  // As long as it takes.
  void wait() noexcept;

 private:
  // A collection runs on the thread that asks for it; the same as the capture thread has.
  static constexpr std::size_t kStackBytes = std::size_t{512} << 10;

  static void run(void* call) noexcept;

  Body body_ = nullptr;
  void* context_ = nullptr;
  platforms::Thread thread_;
  platforms::Mutex mutex_;
  platforms::Condition changed_;
  bool out_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::clr
