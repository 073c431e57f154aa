// One collection of the whole heap, during which the runtime tells its heap to a recorder: a session of EventPipe inside the process.
// Why this way: it needs no flag at rest and leaves concurrent collection on; the session hears collections and heaps alone, and ForceGC
//      makes the walk, one blocking collection and no second one.
// Shape:  run() once: start the session, ForceGC, stop the session. Events come synchronously, inside those calls: on this thread, with
//         server GC on one of the collector's. Events of other providers (one comes when the session stops) are passed over.
// Zone:   run(): capture, on a thread that the runtime does not know or that has called ForceGC. deliver(): stopped.
// Errors: kVm with the HRESULT; kRefused when no walk of ours came (a session that is refused, a collection that did not happen).
// Source: runtime events of Microsoft-Windows-DotNETRuntime, keywords GC (0x1) and GCHeapDump (0x100000), level 4.
#pragma once

#include <atomic>

#include "clrprofiler/heap/heap_recorder_stopped.h"
#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class HeapSession {
 public:
  HeapSession(ProfilerInfo& info, HeapRecorder& recorder) noexcept
      : info_(info), recorder_(recorder) {}
  HeapSession(const HeapSession&) = delete;
  HeapSession& operator=(const HeapSession&) = delete;

  Result<void> run() noexcept;
  // From the begin of our collection to its end, the walk included.
  std::uint64_t pause_ns() const noexcept { return pause_ns_; }

  // An event of any session's; those that come while none of ours runs are passed over.
  static void deliver_stopped(EVENTPIPE_PROVIDER provider, DWORD id, const BYTE* data,
                              ULONG bytes) noexcept;

 private:
  void on_event_stopped(EVENTPIPE_PROVIDER provider, DWORD id, const BYTE* data,
                        ULONG bytes) noexcept;
  bool is_runtime_stopped(EVENTPIPE_PROVIDER provider) noexcept;

  static std::atomic<HeapSession*> current_;

  ProfilerInfo& info_;
  HeapRecorder& recorder_;
  EVENTPIPE_PROVIDER runtime_ = 0;
  EVENTPIPE_PROVIDER stranger_ = 0;
  std::uint64_t began_ns_ = 0;
  std::uint64_t pause_ns_ = 0;
};

}  // namespace holdfast::clr
