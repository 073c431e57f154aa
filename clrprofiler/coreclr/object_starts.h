// Where objects begin, for what may point anywhere: words of stacks, and what hangs on them.
// Why not marks: a dead object has none, and a word may point into the midst of a living one.
// Shape:  a segment is walked once, when it is first asked about; 1 bit for 8 bytes of it. A walk that meets what is no class ends there, and
//         what lies behind is no object: a collection in the background may be turning it into free room.
// Zone:   child.
// Errors: make(): kOutOfBudget; later the same by failed(). 0 where nothing begins.
#pragma once

#include "clrprofiler/coreclr/known_classes.h"
#include "clrprofiler/coreclr/marked_heap.h"

namespace holdfast::clr {

class ObjectStarts {
 public:
  ObjectStarts(const RuntimeLayout& layout, MarkedHeap& heap, KnownClasses& classes,
               std::span<const AddressRange> gaps, Arena& arena) noexcept
      : layout_(layout), heap_(heap), classes_(classes), gaps_(gaps), arena_(arena) {}
  Result<void> make() noexcept;

  // Of a living class; free room is none.
  bool is_object(Address at) noexcept;
  // The object that the address lies in; 0: none.
  Address containing(Address at) noexcept;
  bool failed() const noexcept { return failed_; }

 private:
  using Bits = std::span<std::uint64_t>;

  const Bits* walked(const HeapSegment& segment) noexcept;
  void walk(const HeapSegment& segment, Bits bits) noexcept;
  static bool has(Bits bits, std::uint64_t place) noexcept {
    return (bits[place / 64] >> (place % 64) & 1) != 0;
  }

  const RuntimeLayout& layout_;
  MarkedHeap& heap_;
  KnownClasses& classes_;
  std::span<const AddressRange> gaps_;
  Arena& arena_;
  std::span<Bits> bits_;  // of each segment; empty: not walked yet
  bool failed_ = false;
};

}  // namespace holdfast::clr
