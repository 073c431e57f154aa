// The session in which the runtime tells what its collections keep and move, and the memory of the table that is made of it.
// Why a session: it can be had at any time and leaves concurrent collection on; the profiling calls for the same need a flag that turns it off.
// Shape:  reserve() at load. Events come synchronously, on the threads of the collector (event_session.h). At most kMostRanges ranges, 50 MB, of which what is needed is touched; fewer where memory= is small: all of it is
//         an eighth of memory= at most.
// Zone:   reserve(): load. begin(), end(): any thread of ours but the capture's in a dump. deliver(): event.
// Errors: reserve(): kOutOfBudget where an eighth of memory= is not enough for kLeastRanges; the reservation's. begin(): those of EventSession.
// Source: Microsoft-Windows-DotNETRuntime, keywords GC (0x1) and GCHeapSurvivalAndMovement (0x400000) at level 4.
#pragma once

#include "clrprofiler/ages/age_recorder.h"
#include "clrprofiler/event_session.h"
#include "common/reservation.h"

namespace holdfast::clr {

class AgeSession {
 public:
  static constexpr std::size_t kLeastRanges = std::size_t{1} << 14;

  AgeSession() = default;
  AgeSession(const AgeSession&) = delete;
  AgeSession& operator=(const AgeSession&) = delete;
  ~AgeSession() { end(); }

  Result<void> reserve(Ledger& ledger) noexcept;
  // `info` outlives this object.
  Result<void> begin(ProfilerInfo& info) noexcept;
  void end() noexcept;
  // The runtime ends, and has closed its sessions: nothing is heard any more.
  void stop_listening() noexcept { listener_.stop(*this); }
  bool running() const noexcept { return session_.running(); }
  AgeRecorder& recorder() noexcept { return recorder_; }

  // An event of any session's; those that come while none of ours runs are passed over.
  static void deliver(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                      ULONG bytes) noexcept;

 private:
  void on_event(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, Payload payload) noexcept {
    if (session_.tells(provider)) recorder_.on_event(id, version, payload);
  }

  static EventListener<AgeSession> listener_;

  Reservation reservation_;
  Arena arena_;
  AgeRecorder recorder_;
  EventSession session_;
};

}  // namespace holdfast::clr
