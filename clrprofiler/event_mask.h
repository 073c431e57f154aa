// Which of the runtime's events the agent hears: none at rest, unless a trigger was asked for that needs one.
// Why none: every flag has its price (README.md has the table), and an idle agent shall have none.
// Shape:  a pure function from options and moment to the two masks of SetEventMask2.
//         at load          modules, whose second one tells that the runtime has started
//         at rest          nothing; gc, heap-above and growth: the begin and end of collections; oom, by name: exceptions
//         during a dump    the delivery of EventPipe's events on top, and leave to walk stacks
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
EventMask mask_at_load(const Options& options) noexcept;
EventMask mask_during_dump(const Options& options) noexcept;

Result<void> apply(ProfilerInfo& info, const EventMask& mask) noexcept;

}  // namespace holdfast::clr
