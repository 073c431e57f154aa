// An allocation that the runtime tells of, read out of its event's payload, and with which probability it was told.
// Shape:  read by its offsets, unaligned; pointers of 8 bytes.
//           sampled(303), .NET 10   u32 kind, u16 runtime, type, name, object, u64 bytes, u64 offset. Each byte that is allocated is drawn with
//                                   1/102,400, independently of all others: an object of s bytes comes with 1 - exp(-s/102,400).
//           tick(10), version 4     u32, u32 kind, u16 runtime, u64 amount, type, name, u32 heap, object, u64 bytes. Not drawn: the object
//                                   that is allocated when `amount` bytes have come together, some 100 KB, on one heap and kind.
//                                   An object of s bytes is taken for one that came with s/amount (how good that
//                                   is: docs/decisions/072-clr-allocation-events.md).
//           end of a collection(2)  u32 the collection's number, counted by the runtime. A collection in the background ends after others
//                                   that began later.
//         bytes: as the allocator counts, a multiple of 8.
// Zone:   any, event included (inline, no call but memcpy and expm1).
// Errors: false: cut, of a version nobody knows, or of no object.
// Source: ClrEtwAll.man of the runtime, AllocationSampled and GCAllocationTick_V4; looked at on .NET 8, 9 and 10.
#pragma once

#include <cmath>

#include "clrprofiler/com.h"
#include "clrprofiler/heap/heap_events.h"

namespace holdfast::clr {

enum AllocationEventId : std::uint32_t {
  kCollectionEnd = 2,
  kAllocationTick = 10,
  kAllocationSampled = 303
};

// Mean distance of the runtime's own samples.
inline constexpr std::uint64_t kSampledEveryBytes = 102'400;

struct Allocation {
  ClassID type = 0;
  ObjectID object = 0;  // as memory not yet an object: its class is written when the event is over
  std::uint64_t bytes = 0;
  double probability = 0;  // that it was told at all; above 0
};

// How long the name at `at` is, its end included; 0: it does not end.
inline std::size_t event_name_bytes(Payload payload, std::size_t at) noexcept {
  for (std::size_t end = at; end + sizeof(char16_t) <= payload.bytes; end += sizeof(char16_t))
    if (read_at<char16_t>(payload.data + end) == 0) return end + sizeof(char16_t) - at;
  return 0;
}

inline bool read_allocation_sampled(Payload payload, Allocation& out) noexcept {
  constexpr std::size_t kType = 6, kName = 14, kRest = 24;
  const std::size_t name = event_name_bytes(payload, kName);
  if (name == 0 || payload.bytes - kName - name < kRest) return false;
  const std::uint8_t* const rest = payload.data + kName + name;
  out.type = read_at<std::uint64_t>(payload.data + kType);
  out.object = read_at<std::uint64_t>(rest);
  out.bytes = read_at<std::uint64_t>(rest + 8);
  out.probability =
      -std::expm1(-static_cast<double>(out.bytes) / static_cast<double>(kSampledEveryBytes));
  return out.type != 0 && out.object != 0 && out.bytes != 0;
}

inline bool read_allocation_tick(Payload payload, Allocation& out) noexcept {
  constexpr std::size_t kAmount = 10, kType = 18, kName = 26, kRest = 20;
  const std::size_t name = event_name_bytes(payload, kName);
  if (name == 0 || payload.bytes - kName - name < kRest) return false;
  const std::uint8_t* const rest = payload.data + kName + name;
  const auto amount = read_at<std::uint64_t>(payload.data + kAmount);
  out.type = read_at<std::uint64_t>(payload.data + kType);
  out.object = read_at<std::uint64_t>(rest + 4);
  out.bytes = read_at<std::uint64_t>(rest + 12);
  const bool whole = out.bytes >= amount;
  out.probability = whole ? 1 : static_cast<double>(out.bytes) / static_cast<double>(amount);
  return out.type != 0 && out.object != 0 && out.bytes != 0;
}

inline bool is_allocation_event(DWORD id) noexcept {
  return id == kAllocationTick || id == kAllocationSampled || id == kCollectionEnd;
}

inline bool read_collection_end(Payload payload, std::uint32_t& number) noexcept {
  if (payload.bytes < sizeof number) return false;
  number = read_at<std::uint32_t>(payload.data);
  return number != 0;
}

inline bool read_allocation(DWORD id, DWORD version, Payload payload, Allocation& out) noexcept {
  constexpr DWORD kTickVersion =
      4;  // later ones only add fields at the end; earlier ones do not tell sizes
  if (id == kAllocationSampled) return read_allocation_sampled(payload, out);
  return id == kAllocationTick && version >= kTickVersion && read_allocation_tick(payload, out);
}

}  // namespace holdfast::clr
