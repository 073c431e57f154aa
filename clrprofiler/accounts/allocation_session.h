// The session in which the runtime tells of allocations, and what is done with one on the thread that allocates.
// Why a session: it can be had at any time, of any .NET from 6 on, and leaves concurrent collection on. On .NET 10 the runtime draws its
//      samples at random (AllocationSampled); before, it tells of one each 100 KB or so (GCAllocationTick), together with its collections.
// Shape:  events come synchronously, on any thread of the application (event_session.h).
//         One event: thinned out first (sampling_pace.h), then a weak handle, a walk of the own stack, and a slot of the ring.
// Zone:   begin(), end(): any thread of ours but the capture's in a dump. deliver(): event.
// Errors: begin(): those of EventSession; before .NET 6 nothing is told.
// Source: Microsoft-Windows-DotNETRuntime, keyword AllocationSampling (0x80000000000) at level 4; keyword GC (0x1) at level 5.
#pragma once

#include <atomic>

#include "clrprofiler/accounts/allocation_event.h"
#include "clrprofiler/accounts/sample_ring.h"
#include "clrprofiler/accounts/weak_handles.h"
#include "clrprofiler/event_session.h"
#include "common/accounts/sampling_pace.h"
#include "common/annotations/thread_annotations.h"
#include "platforms/thread_value.h"

namespace holdfast::clr {

class AllocationSession {
 public:
  // A tick comes with the first refill of an allocation context after 100 KB: 106 KB apart for small objects, more for those of tens of KB.
  static constexpr std::uint64_t kLeastTickInterval = std::uint64_t{128} << 10;
  struct Settings {
    bool by_stack = true;
    bool by_thread = false;
    bool collections = false;  // are counted, too
    // What threads say of themselves, and where each has its mark; nullptr: nobody asks.
    const ThreadAnnotations* annotations = nullptr;
    const platforms::ThreadValue* marks = nullptr;
  };

  // .NET 10: told by its version, because no interface of the profiling API came with it.
  static bool is_sampled_by(ProfilerInfo& info) noexcept;
  // The smallest distance that samples can be thinned out to.
  static std::uint64_t least_interval_bytes(ProfilerInfo& info) noexcept;

  // The first four outlive this object.
  Result<void> begin(ProfilerInfo& info, SampleRing& ring, WeakHandles& handles, SamplingPace& pace,
                     const Settings& settings) noexcept;
  void end() noexcept;
  // The runtime ends, and has closed its sessions: nothing is heard any more.
  void stop_listening() noexcept { listener_.stop(*this); }
  // How many collections have ended since it began, those in the background at their ends.
  std::uint64_t collections() const noexcept {
    return collections_.load(std::memory_order_relaxed);
  }
  // Samples that found no slot, or were not understood; since the last call.
  std::uint64_t take_lost() noexcept { return lost_.exchange(0, std::memory_order_relaxed); }
  // Those of threads that the filter leaves out; since the last call.
  std::uint64_t take_passed_over() noexcept {
    return passed_over_.exchange(0, std::memory_order_relaxed);
  }

  // An event of any session's; those that come while none of ours runs are passed over.
  static void deliver(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, const BYTE* data,
                      ULONG bytes) noexcept;

 private:
  void on_event(EVENTPIPE_PROVIDER provider, DWORD id, DWORD version, Payload payload) noexcept;
  ThreadAnnotations::Mark mark_of_caller() const noexcept;
  void take(const Allocation& told, std::uint32_t raises, ThreadAnnotations::Mark mark) noexcept;
  void count_collection(Payload payload) noexcept;

  static EventListener<AllocationSession> listener_;

  ProfilerInfo* info_ = nullptr;
  SampleRing* ring_ = nullptr;
  WeakHandles* handles_ = nullptr;
  Settings settings_;
  SamplingPace* pace_ = nullptr;
  EventSession session_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<std::uint64_t> passed_over_{0};
  std::atomic<std::uint32_t> first_collection_{
      0};  // the runtime's number of the first that was told; 0: none yet
  std::atomic<std::uint64_t> collections_{0};
};

}  // namespace holdfast::clr
