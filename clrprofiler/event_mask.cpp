#include "clrprofiler/event_mask.h"

namespace holdfast::clr {

bool wants_exceptions(const Options& options) noexcept {
  return (options.on & kOnOom) != 0 && option_named(options, "on");
}

EventMask mask_at_rest(const Options& options) noexcept {
  EventMask mask;
  if (wants_exceptions(options)) mask.low |= COR_PRF_MONITOR_EXCEPTIONS;
  if (wants_collections(options)) {
    mask.high |= COR_PRF_HIGH_BASIC_GC;
    mask.low |= COR_PRF_MONITOR_SUSPENDS;
  }
  if (samples_objects(options)) {
    mask.high |= COR_PRF_HIGH_MONITOR_EVENT_PIPE;
    mask.low |= COR_PRF_MONITOR_MODULE_LOADS;
  }
  if (options.accounts[0] != '\0') mask.low |= COR_PRF_ENABLE_STACK_SNAPSHOT;
  return mask;
}

EventMask mask_at_load(const ProfilerInfo& info, const Options& options) noexcept {
  EventMask mask = mask_at_attach(info, options);
  mask.low |= COR_PRF_MONITOR_MODULE_LOADS;
  return mask;
}

EventMask mask_at_attach(const ProfilerInfo& info, const Options& options) noexcept {
  EventMask mask = mask_at_rest(options);
  if (info.tells_heap_by_calls()) mask.low |= COR_PRF_MONITOR_GC;
  return mask;
}

EventMask mask_during_dump(const ProfilerInfo& info, const Options& options) noexcept {
  EventMask mask = mask_at_rest(options);
  mask.low |= COR_PRF_ENABLE_STACK_SNAPSHOT | COR_PRF_MONITOR_MODULE_LOADS;
  if (!info.tells_heap_by_calls()) mask.high |= COR_PRF_HIGH_MONITOR_EVENT_PIPE;
  return mask;
}

EventMask mask_during_walk(const ProfilerInfo& info, const Options& options) noexcept {
  EventMask mask = mask_during_dump(info, options);
  mask.low |= COR_PRF_MONITOR_GC | COR_PRF_MONITOR_SUSPENDS;
  return mask;
}

bool tells_heap(const EventMask& mask) noexcept { return (mask.low & COR_PRF_MONITOR_GC) != 0; }

EventMask without_heap(EventMask mask) noexcept {
  mask.low &= ~static_cast<std::uint32_t>(COR_PRF_MONITOR_GC);
  return mask;
}

Result<void> apply(ProfilerInfo& info, const EventMask& mask) noexcept {
  if (info.has(Needs::kEventMask2)) return check(info->SetEventMask2(mask.low, mask.high));
  return check(info->SetEventMask(mask.low));
}

}  // namespace holdfast::clr
