// Blocking collections of the whole heap, made by us, on a thread that can be given up: during one the runtime tells its heap, in
// events or in calls.
// Why a limit: ForceGC comes back when the collection and all that it tells are over, and nothing calls it off (limited_call.h).
// Shape:  get_ready(), then run(): the thread calls `body`, which asks for collections with force(); waited for as CollectionPatience says. What has not come
//         in time is given up: stuck() until the runtime has come back, and the body finds itself not wanted().
// Zone:   force(), wanted(): the body. note_begun_stopped(): stopped. The rest: capture, one thread at a time.
// Errors: kVm with the HRESULT; kDeadline, with the ns that were allowed; kRefused while stuck(); kOutOfMemory
//         when the system gives no thread.
#pragma once

#include <atomic>

#include "clrprofiler/limited_call.h"
#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

// How long a collection may keep a dump waiting.
struct CollectionPatience {
  // Until it begins. One in the background comes first, and takes seconds on a heap of tens of GB.
  std::uint64_t begins_ns = 30'000'000'000;
  // Until it is over, from the same moment: by then the application stands still, and giving up would not help it.
  std::uint64_t ends_ns = 300'000'000'000;
};

class ForcedCollection {
 public:
  // Once given up it may touch only what outlives the agent.
  using Body = HRESULT (*)(void* context) noexcept;

  explicit ForcedCollection(const CollectionPatience& patience = {}) noexcept
      : patience_(patience) {}
  ForcedCollection(const ForcedCollection&) = delete;
  ForcedCollection& operator=(const ForcedCollection&) = delete;

  // From here on it is heard whether one has begun.
  Result<void> get_ready(ProfilerInfo& info) noexcept;
  Result<void> run(Body body, void* context) noexcept;
  // One collection, nothing else; all three in one.
  Result<void> collect(ProfilerInfo& info) noexcept;
  // Has the same thread call `body`, and waits for it: that one alone may cause types to be loaded
  // (docs/decisions/062-clr-calls-and-threads.md).
  Result<void> call_there(LimitedCall::Body body, void* context) noexcept;

  // One call of ForceGC, tried again right after the start of the runtime, when it is not ready to collect.
  HRESULT force() noexcept;
  bool wanted() const noexcept { return wanted_.load(); }
  // Whoever hears that the collection has begun says so: it is waited for longer.
  void note_begun_stopped() noexcept { begun_.store(true); }
  // The collection of the last run() has begun, as far as anybody has said.
  bool begun() const noexcept { return begun_.load(); }
  // What was given up has not come back: nothing that waits for a standstill may be asked of the runtime.
  bool stuck() noexcept { return call_.out(); }
  // Nobody of ours may be inside the runtime any more: waits for that, as long as it takes.
  void close() noexcept { call_.close(); }

 private:
  static void call_body(void* collection) noexcept;
  static HRESULT force_once(void* collection) noexcept;
  bool wait() noexcept;

  CollectionPatience patience_;
  LimitedCall call_;
  ProfilerInfo* info_ = nullptr;
  Body body_ = nullptr;
  void* context_ = nullptr;
  HRESULT answer_ = S_OK;            // the body's own, until it is back
  std::atomic<bool> wanted_{false};  // nobody has given up yet
  std::atomic<bool> begun_{false};
};

}  // namespace holdfast::clr
