// Tells objects apart by their addresses while the heap is walked, and gives them their numbers afterwards.
// Why: a tag costs the VM a hash table entry, 60 to 74 bytes and most of the walk's time; HotSpot's callback keeps the object's
//      address and size next to the tag that it shows. That is not documented, so every call must prove it: the size found there
//      is the one that the VM passes, the address lies in the heap where an object may begin, and whoever refers was seen before.
// Why numbers come later: in the pause an object only needs to be known again, which is one bit; everything else can wait.
// Shape:  the number of an object during the walk is first_number + its place (8-byte units from the heap's start); resolve()
//         makes it first_number + how many objects came before it. 3.2 % of the heap's range for marks, touched only where objects
//         are, 4 B an object for its place; resolve() 4 B an object more. O(objects + references).
//         first_number + places < 2^32, so a heap of 32 GiB is the largest.
// Zone:   prepare(), resolve(): capture. find(), add(), knows(): stopped.
// Errors: kUnsupported for a heap that is too large or unknown, kOutOfBudget. add() answers false when the memory is used up.
// Source: HotSpot, prims/jvmtiTagMap.cpp (CallbackWrapper, TwoOopCallbackWrapper); measured in
//         docs/decisions/031-addresses-instead-of-tags.md.
#pragma once

#include <cstdint>

#include "common/capture_memory.h"
#include "common/snapshot/builder.h"
#include "common/snapshot/mark_table.h"

namespace holdfast::jvmti {

// Where objects lie; empty: unknown.
struct HeapRange {
  std::uint64_t start = 0;
  std::uint64_t end = 0;
  std::uint64_t alignment = 8;
};

class ObjectPlaces {
 public:
  // Marks come from the work arena, places are a column.
  Result<void> prepare(const HeapRange& heap, std::uint32_t first_number,
                       CaptureMemory& memory) noexcept;

  // The number of what begins at the address; false when nothing can begin there.
  bool find(std::uint64_t address, std::uint32_t& number) const noexcept {
    const std::uint64_t offset = address - heap_.start;  // of a lower address: huge
    if (offset >= heap_bytes_ || (address & (heap_.alignment - 1)) != 0) return false;
    number = first_number_ + static_cast<std::uint32_t>(offset / MarkTable::kPlaceBytes);
    return true;
  }
  bool knows(std::uint32_t number) const noexcept { return marks_.marked(number - first_number_); }
  // The next object. False when there is no room.
  bool add(std::uint32_t number) noexcept {
    marks_.mark(number - first_number_);
    return places_.push(number - first_number_);
  }

  Result<void> resolve(SnapshotBuilder& builder, Arena& scratch) noexcept;

 private:
  HeapRange heap_;
  std::uint64_t heap_bytes_ = 0;
  std::uint32_t first_number_ = 0;
  MarkTable marks_;
  Column<std::uint32_t> places_;  // in the order of add()
};

}  // namespace holdfast::jvmti
