// The stretches of memory in which the runtime's objects lie, one after the other.
// Why read anew for every picture: regions change their generation and their heap with each collection.
// Shape:  segments in the order of addresses, none twice and none over another: regions of 4 MB and more; with libclrgc.so larger ones, of
//         which one stands under several generations. Objects fill [start, end) without gaps but for allocation contexts
//         (object_runs.h). 32 B each in the arena.
//         Frozen ones (string literals, types) belong to no heap; where their objects end, only the API says, and only for the moment when it
//         is asked (late_frozen.h).
// Zone:   child.
// Errors: kInconsistent (detail: the address of what contradicts itself); kTooMany; kOutOfBudget.
// Source: dotnet/runtime, gc/gcinterface.dac.h (dac_heap_segment);
//         measured on 8, 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include <span>

#include "clrprofiler/coreclr/gc_tables.h"
#include "common/arena.h"

namespace holdfast::clr {

struct AddressRange {
  Address start = 0;
  Address end = 0;
  bool holds(Address at) const noexcept { return at >= start && at < end; }
};

struct HeapSegment {
  AddressRange objects;
  std::uint8_t generation = 0;  // the first under which it stands
  bool frozen = false;
};

// `frozen`: what the API tells of the heap that is not collected (GetNonGCHeapBounds).
Result<std::span<HeapSegment>> read_segments(const GcTables& tables,
                                             std::span<const AddressRange> frozen,
                                             Arena& arena) noexcept;
// The segment that an address lies in, or nullptr. O(log segments).
const HeapSegment* find_segment(std::span<const HeapSegment> segments, Address at) noexcept;

}  // namespace holdfast::clr
