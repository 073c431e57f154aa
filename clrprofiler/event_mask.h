// Which of the runtime's events the agent hears: none at rest, unless a trigger was asked for that needs one.
// Why none: every flag has its price (docs/decisions/060-clr-no-events-at-rest.md), and an idle agent shall have none.
// Shape:  a pure function from options and moment to the two masks of SetEventMask2.
//         at load          modules, whose second one tells that the runtime has started
//         at rest          nothing; gc, heap-above and growth, or somebody watches: the begin and end of collections and of standstills; oom, by name: exceptions;
//                          accounts: the delivery of EventPipe's events, leave to walk stacks, and modules, whose unload ends what is known by id
//         during a dump    the delivery of EventPipe's events on top, and leave to walk stacks
//         Where the heap is told by calls (.NET Framework, .NET Core 3), COR_PRF_MONITOR_GC on top:
//         at load, attach  because it can be set later only if it was set then; it is taken away with the first event that follows.
//                          From then on concurrent collection is off, for the process or until the agent leaves
//         during a walk    for one collection
// Zone:   any.   Errors: apply(): kVm with the HRESULT.
#pragma once

#include "clrprofiler/profiler_info.h"
#include "common/options.h"

namespace holdfast::clr {

struct EventMask {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  friend bool operator==(const EventMask&, const EventMask&) = default;
};

// Triggers that people have to ask for by name here: exceptions make each throw of the application a little dearer.
bool wants_exceptions(const Options& options) noexcept;

EventMask mask_at_rest(const Options& options) noexcept;
EventMask mask_at_load(const ProfilerInfo& info, const Options& options) noexcept;
EventMask mask_at_attach(const ProfilerInfo& info, const Options& options) noexcept;
EventMask mask_during_dump(const ProfilerInfo& info, const Options& options) noexcept;
EventMask mask_during_walk(const ProfilerInfo& info, const Options& options) noexcept;

// Whether the mask has the flag that turns concurrent collection off, and the mask without it.
bool tells_heap(const EventMask& mask) noexcept;
EventMask without_heap(EventMask mask) noexcept;

Result<void> apply(ProfilerInfo& info, const EventMask& mask) noexcept;

}  // namespace holdfast::clr
