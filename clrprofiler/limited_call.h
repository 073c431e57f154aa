// A call of the runtime that may not come back in time, made by a thread of its own, so that whoever wants it can give up.
// Why: ForceGC comes back when its collection is over, and that one waits for a collection in the background and for every managed
//      thread to stand still; nothing calls it off. And what a session makes of the thread that starts it
//      (docs/decisions/062-clr-calls-and-threads.md) is no matter there.
// Shape:  one thread, from the first call to close(): a fresh one each time leaves 6 to 30 KB in the runtime (150 dumps, .NET 10). Whoever
//         has given up leaves it alone; until it is back no other call is made.
//         out_: body_ is to be called, or has been called and is not back.
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
  ~LimitedCall() { close(); }

  Result<void> begin(Body body, void* context) noexcept;
  // Waits until it is back, at most until `deadline_ns` (monotonic). False: it is not.
  bool wait(std::uint64_t deadline_ns) noexcept;
  bool out() noexcept { return !wait(0); }
  // Waits until it is back, as long as it takes, and ends the thread.
  void close() noexcept;

 private:
  // A collection runs on the thread that asks for it; the same as the capture thread has.
  static constexpr std::size_t kStackBytes = std::size_t{512} << 10;

  static void run(void* call) noexcept;
  bool call_next() noexcept;

  platforms::Thread thread_;
  platforms::Mutex mutex_;
  platforms::Condition changed_;
  Body body_ HF_GUARDED_BY(mutex_) = nullptr;
  void* context_ HF_GUARDED_BY(mutex_) = nullptr;
  bool out_ HF_GUARDED_BY(mutex_) = false;
  bool ending_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast::clr
