// The runtime's events of what a collection keeps and moves, as it packs them.
// Zone:   tests.   Errors: none.
#pragma once

#include <vector>

#include "clrprofiler/ages/age_events.h"
#include "clrprofiler/heap/fake_heap_events.h"

namespace holdfast::clr {

inline FakeEvent fake_collection_start(std::uint32_t number, std::uint32_t depth,
                                       std::uint32_t type = 0) {
  return fake_gc_start(number, depth, 0, type);
}
inline FakeEvent fake_restart() {
  EventBytes bytes;
  bytes.put(std::uint16_t{0});
  return bytes.event(kRestartBegin);
}
inline FakeEvent fake_suspend(std::uint32_t reason) {
  EventBytes bytes;
  bytes.put(reason).put(std::uint32_t{0}).put(std::uint16_t{0});
  return bytes.event(kSuspendBegin);
}
inline FakeEvent fake_region(std::uint8_t generation, std::uint64_t start,
                             std::uint64_t used_bytes = 0x1000) {
  constexpr std::uint64_t kReserved = 0x4000;
  EventBytes bytes;
  bytes.put(generation).put(start).put(used_bytes).put(kReserved).put(std::uint16_t{0});
  return bytes.event(kGenerationRange);
}
inline FakeEvent fake_survived(const std::vector<SurvivedRecord>& ranges) {
  EventBytes bytes;
  bytes.put(std::uint32_t{0}).put(static_cast<std::uint32_t>(ranges.size())).put(std::uint16_t{0});
  for (const SurvivedRecord& range : ranges) bytes.put(range.start).put(range.bytes);
  return bytes.event(kBulkSurvived);
}
inline FakeEvent fake_moved(const std::vector<MovedRecord>& ranges) {
  EventBytes bytes;
  bytes.put(std::uint32_t{0}).put(static_cast<std::uint32_t>(ranges.size())).put(std::uint16_t{0});
  for (const MovedRecord& range : ranges) bytes.put(range.from).put(range.to).put(range.bytes);
  return bytes.event(kBulkMoved);
}

}  // namespace holdfast::clr
