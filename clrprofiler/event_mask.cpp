#include "clrprofiler/event_mask.h"

namespace holdfast::clr {

bool wants_exceptions(const Options& options) noexcept {
  return (options.on & kOnOom) != 0 && option_named(options, "on");
}

EventMask mask_at_rest(const Options& options) noexcept {
  EventMask mask;
  if (wants_exceptions(options)) mask.low |= COR_PRF_MONITOR_EXCEPTIONS;
  if (wants_collections(options)) mask.high |= COR_PRF_HIGH_BASIC_GC;
  return mask;
}

EventMask mask_at_load(const Options& options) noexcept {
  EventMask mask = mask_at_rest(options);
  mask.low |= COR_PRF_MONITOR_MODULE_LOADS;
  return mask;
}

EventMask mask_during_dump(const Options& options) noexcept {
  EventMask mask = mask_at_rest(options);
  mask.low |= COR_PRF_ENABLE_STACK_SNAPSHOT | COR_PRF_MONITOR_MODULE_LOADS;
  mask.high |= COR_PRF_HIGH_MONITOR_EVENT_PIPE;
  return mask;
}

Result<void> apply(ProfilerInfo& info, const EventMask& mask) noexcept {
  if (info.has(Needs::kEventMask2)) return check(info->SetEventMask2(mask.low, mask.high));
  return check(info->SetEventMask(mask.low));
}

}  // namespace holdfast::clr
