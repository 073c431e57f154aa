// A session of the runtime's own events, and who hears them: what sampled allocations and ages of objects have in common.
// Why a thread of its own for begin() and end(): starting a session makes a managed thread of its caller, whose synchronous calls are
//      refused from then on. Events come synchronously, on any thread of the application or the collector, also inside begin().
// Shape:  one listener of each kind at a time. deliver() passes over what comes while nobody listens. It counts who is inside before it looks who
//         listens, and stop() empties that before it waits: whoever still sees the listener has been counted.
// Zone:   begin(), end(), listen(), stop(): any thread of ours but the capture's in a dump. deliver(), tells(): event.
// Errors: begin(): kVm with the HRESULT; kDeadline when the runtime has not started it in time; kUnsupported before .NET 5; kRefused and
//         kOutOfMemory as LimitedCall.
#pragma once

#include <atomic>

#include "clrprofiler/limited_call.h"
#include "clrprofiler/profiler_info.h"
#include "clrprofiler/runtime_provider.h"
#include "platforms/clock.h"

namespace holdfast::clr {

class EventSession {
 public:
  struct Wanted {
    std::uint64_t keywords = 0;
    UINT32 level = 0;
  };

  // `info` outlives this object.
  Result<void> begin(ProfilerInfo& info, const Wanted& wanted) noexcept;
  void end() noexcept;
  bool running() const noexcept { return session_ != 0; }
  // Whether an event is the runtime's own.
  bool tells(EVENTPIPE_PROVIDER provider) noexcept { return runtime_.is(**info_, provider); }

 private:
  static void start_there(void* session) noexcept;
  static void stop_there(void* session) noexcept;

  ProfilerInfo* info_ = nullptr;
  Wanted wanted_;
  RuntimeProvider runtime_;
  LimitedCall call_;
  EVENTPIPE_SESSION session_ = 0;
  HRESULT answer_ = S_OK;  // of the call, until it is back
};

// Sequentially consistent, all of it; see above.
template <class Listener>
class EventListener {
 public:
  void listen(Listener& listener) noexcept { listening_.store(&listener); }
  void stop(Listener& listener) noexcept {
    constexpr std::uint64_t kLookNs = 50'000;  // events are microseconds
    Listener* mine = &listener;
    listening_.compare_exchange_strong(mine, nullptr);
    while (inside_.load() != 0) platforms::sleep_ns(kLookNs);
  }
  template <class Tell>
  void deliver(Tell tell) noexcept {
    inside_.fetch_add(1);
    Listener* const listener = listening_.load();
    if (listener != nullptr) tell(*listener);
    inside_.fetch_sub(1);
  }

 private:
  std::atomic<Listener*> listening_{nullptr};
  std::atomic<std::uint32_t> inside_{0};
};

}  // namespace holdfast::clr
