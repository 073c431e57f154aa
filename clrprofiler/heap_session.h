// One collection of the whole heap, during which the runtime tells its heap to a recorder: a session of EventPipe inside the process.
// Why this way: it needs no flag at rest and leaves concurrent collection on; the session hears collections and heaps alone, and ForceGC
//      makes the walk, one blocking collection and no second one.
// Shape:  run(): a thread of its own starts the session, forces the collection, stops the session (limited_call.h). Events
//         come synchronously, inside those calls: on that thread, with server GC on one of the collector's. Events of other providers
//         (one comes when the session stops) are passed over. What has not come in time is given up: no recorder is told anything
//         any more, and stuck() until the runtime has come back.
//         listening_ is emptied, then inside_ awaited: whoever still sees the session has been counted before.
// Zone:   run(), stuck(), close(): capture, one thread at a time. deliver_stopped(): stopped.
// Errors: run(): kVm with the HRESULT; kDeadline, with the ns that were allowed; kRefused when no walk of ours came, or while stuck().
// Source: runtime events of Microsoft-Windows-DotNETRuntime, keywords GC (0x1) and GCHeapDump (0x100000), level 4.
#pragma once

#include <atomic>

#include "clrprofiler/heap/heap_recorder_stopped.h"
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

class HeapSession {
 public:
  explicit HeapSession(const CollectionPatience& patience = {}) noexcept : patience_(patience) {}
  HeapSession(const HeapSession&) = delete;
  HeapSession& operator=(const HeapSession&) = delete;

  Result<void> run(ProfilerInfo& info, HeapRecorder& recorder) noexcept;
  // A collection that nobody tells of, under the same limit. Errors: kVm, kDeadline, kRefused as above.
  Result<void> collect_unheard(ProfilerInfo& info) noexcept;
  // Has the thread that forced the collection call `body`, and waits for it: that one alone may cause types to be loaded (README.md).
  Result<void> call_there(LimitedCall::Body body, void* context) noexcept;
  // From the begin of our collection to its end, the walk included; of the last run().
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }
  // The collection of the last run() has begun.
  bool begun() const noexcept { return begun_.load(); }
  // A collection that was given up has not come back: nothing that waits for a standstill may be asked of the runtime.
  bool stuck() noexcept { return call_.out(); }
  // Nobody of ours may be inside the runtime any more: waits for that, as long as it takes.
  void close() noexcept { call_.close(); }

  // An event of any session's; those that come while none of ours runs are passed over.
  static void deliver_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                              const BYTE* data, ULONG bytes) noexcept;

 private:
  static void collect(void* session) noexcept;
  static void collect_alone(void* session) noexcept;
  HRESULT force_collection() noexcept;
  void prepare(ProfilerInfo& info) noexcept;
  void listen(ProfilerInfo& info, HeapRecorder& recorder) noexcept;
  bool wait_for_walk() noexcept;
  void stop_listening() noexcept;
  Result<void> judge(bool back) noexcept;

  void on_event_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                        ULONG bytes) noexcept;
  void record_stopped(DWORD id, Payload payload) noexcept;
  bool is_runtime_stopped(EVENTPIPE_PROVIDER provider) noexcept;

  static std::atomic<HeapSession*> listening_;
  static std::atomic<std::uint32_t> inside_;

  CollectionPatience patience_;
  LimitedCall call_;
  ProfilerInfo* info_ = nullptr;
  HRESULT answer_ = 0;  // the call's own, until it is back
  HeapRecorder* recorder_ = nullptr;
  std::atomic<bool> wanted_{false};     // nobody has given up yet
  std::atomic<bool> recording_{false};  // an event is being looked at
  std::atomic<bool> collided_{false};   // another one came meanwhile, which was not
  std::atomic<bool> begun_{false};
  std::atomic<bool> done_{false};
  std::atomic<EVENTPIPE_PROVIDER> runtime_{0};
  std::atomic<EVENTPIPE_PROVIDER> stranger_{0};
  std::atomic<std::uint64_t> began_ns_{0};
  std::atomic<std::uint64_t> ended_ns_{0};
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
