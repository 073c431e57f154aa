// One collection of the whole heap, during which the runtime tells its heap to a recorder: a session of EventPipe inside the process.
// Why this way: it needs no flag at rest and leaves concurrent collection on; the session hears collections and heaps alone, and ForceGC
//      makes the walk, one blocking collection and no second one.
// Shape:  run(): the thread of forced collections starts the session, forces one, stops the session. Events come synchronously, inside
//         those calls: on that thread, with server GC on one of the collector's. Events of other providers (one comes when the session
//         stops) are passed over. What has not come in time is given up: no recorder is told anything any more.
//         listening_ is emptied, then inside_ awaited: whoever still sees the session has been counted before.
// Zone:   run(): capture. deliver_stopped(): stopped.
// Errors: run(): those of ForcedCollection; kRefused also when no walk of ours came.
// Source: runtime events of Microsoft-Windows-DotNETRuntime, keywords GC (0x1) and GCHeapDump (0x100000), level 4.
#pragma once

#include <atomic>

#include "clrprofiler/forced_collection.h"
#include "clrprofiler/heap/heap_recorder_stopped.h"
#include "clrprofiler/runtime_provider.h"

namespace holdfast::clr {

class HeapSession {
 public:
  explicit HeapSession(ForcedCollection& collection) noexcept : collection_(collection) {}
  HeapSession(const HeapSession&) = delete;
  HeapSession& operator=(const HeapSession&) = delete;

  Result<void> run(ProfilerInfo& info, HeapRecorder& recorder) noexcept;
  // From when threads were asked to stop for our collection until they ran again, the walk included; of the last run().
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }

  // An event of any session's; those that come while none of ours runs are passed over.
  static void deliver_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version,
                              const BYTE* data, ULONG bytes) noexcept;

 private:
  static HRESULT collect(void* session) noexcept;
  void listen(ProfilerInfo& info, HeapRecorder& recorder) noexcept;
  void stop_listening() noexcept;
  Result<void> judge(const Result<void>& ran) noexcept;

  void on_event_stopped(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                        ULONG bytes) noexcept;
  void note_stop_stopped(DWORD id, Payload payload) noexcept;
  void record_stopped(DWORD id, Payload payload) noexcept;

  static std::atomic<HeapSession*> listening_;
  static std::atomic<std::uint32_t> inside_;

  ForcedCollection& collection_;
  ProfilerInfo* info_ = nullptr;
  HeapRecorder* recorder_ = nullptr;
  std::atomic<bool> recording_{false};  // an event is being looked at
  std::atomic<bool> collided_{false};   // another one came meanwhile, which was not
  std::atomic<bool> done_{false};
  RuntimeProvider runtime_;
  std::atomic<std::uint64_t> stop_began_ns_{0};  // of a collection's stop that lasts; 0: of none
  std::atomic<std::uint64_t> began_ns_{0};
  std::atomic<std::uint64_t> ended_ns_{0};
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
