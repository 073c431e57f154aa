// The runtime's events of what its collections keep and move, read out of their payloads.
// Shape:  packed, pointers of 8 bytes; heap/heap_events.h has the rest.
//           suspend(9)     u32 reason, u32 count, u16 runtime
//           survived(21)   bulk of ptr start, u64 bytes
//           moved(22)      bulk of ptr old start, ptr new start, u64 bytes; also what was not moved, where others were
//           region(23)     u8 generation, ptr start, u64 used bytes, u64 reserved bytes, u16 runtime
// Zone:   event (inline, no call but memcpy).   Errors: false: cut.
// Source: ClrEtwAll.man of the runtime: GCSuspendEEBegin_V1, GCBulkSurvivingObjectRanges, GCBulkMovedObjectRanges, GCGenerationRange.
#pragma once

#include "clrprofiler/heap/heap_events.h"

namespace holdfast::clr {

enum AgeEventId : std::uint32_t {
  kRestartBegin = 7,  // GCRestartEEBegin
  kSuspendBegin = 9,  // GCSuspendEEBegin
  kBulkSurvived = 21,
  kBulkMoved = 22,
  kGenerationRange = 23,
};

constexpr bool is_age_event(std::uint32_t id) noexcept {
  return id == kGcStart || id == kGcEnd || id == kRestartBegin || id == kSuspendBegin ||
         (id >= kBulkSurvived && id <= kGenerationRange);
}

// SUSPEND_FOR_GC_PREP: within a collection in the background.
inline constexpr std::uint32_t kForBackground = 6;

inline bool read_suspend_reason(Payload payload, std::uint32_t& out) noexcept {
  if (payload.bytes < sizeof out) return false;
  out = read_at<std::uint32_t>(payload.data);
  return true;
}

struct SurvivedRecord {
  static constexpr std::size_t kBytes = 16;
  std::uint64_t start;
  std::uint64_t bytes;

  static SurvivedRecord read(const std::uint8_t* at) noexcept {
    return {read_at<std::uint64_t>(at), read_at<std::uint64_t>(at + 8)};
  }
};

struct MovedRecord {
  static constexpr std::size_t kBytes = 24;
  std::uint64_t from;
  std::uint64_t to;
  std::uint64_t bytes;

  static MovedRecord read(const std::uint8_t* at) noexcept {
    return {read_at<std::uint64_t>(at), read_at<std::uint64_t>(at + 8),
            read_at<std::uint64_t>(at + 16)};
  }
};

struct GenerationRange {
  std::uint8_t generation = 0;
  std::uint64_t start = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t reserved_bytes = 0;
};

inline bool read_generation_range(Payload payload, GenerationRange& out) noexcept {
  constexpr std::size_t kLeast = 25;
  if (payload.bytes < kLeast) return false;
  const std::uint8_t* const at = payload.data;
  out = GenerationRange{*at, read_at<std::uint64_t>(at + 1), read_at<std::uint64_t>(at + 9),
                        read_at<std::uint64_t>(at + 17)};
  return true;
}

}  // namespace holdfast::clr
