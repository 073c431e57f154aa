// The segments of a heap with a mark for each place where an object may begin.
// Shape:  O(1) for the segment of the last hit, else O(log segments). Marks: 3.2 % of the segments that are touched.
// Zone:   child.
// Errors: make(): kOutOfBudget, kTooMany. number(): kTooMany. mark() answers false when there is no room, and failed() says so from then on.
#pragma once

#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/coreclr/object_header.h"
#include "clrprofiler/heap/address_spans.h"
#include "common/snapshot/growing_mark_table.h"

namespace holdfast::clr {

class MarkedHeap {
 public:
  static Result<MarkedHeap> make(std::span<const HeapSegment> segments, Arena& arena) noexcept {
    MarkedHeap heap;
    heap.segments_ = segments;
    HF_TRY(spans, AddressSpans::make(arena));
    heap.spans_ = spans;
    for (const HeapSegment& segment : segments)
      HF_CHECK_OK(heap.spans_.extend(segment.objects.start, segment.objects.end));
    HF_TRY(marks, GrowingMarkTable::make(arena, heap.spans_.bytes()));
    heap.marks_ = marks;
    return heap;
  }

  std::span<const HeapSegment> segments() const noexcept { return segments_; }
  // nullptr: no object can be there.
  const HeapSegment* segment_of(Address at) noexcept {
    if (last_ == nullptr || !last_->objects.holds(at)) {
      const HeapSegment* found = find_segment(segments_, at);
      if (found == nullptr) return nullptr;
      last_ = found;
    }
    return last_;
  }
  bool may_begin_at(Address at) noexcept {
    return at % kObjectAlignment == 0 && segment_of(at) != nullptr;
  }

  // Of what may_begin_at() has affirmed. True the first time.
  bool mark(Address object) noexcept { return marks_.mark(spans_.place_of(object)); }
  bool failed() const noexcept { return marks_.failed(); }
  bool marked(Address object) noexcept {
    const std::uint64_t place = spans_.place_of(object);
    return object % kObjectAlignment == 0 && place != AddressSpans::kNowhere &&
           marks_.marked(place);
  }
  // When all are marked: numbers them by address, and answers how many there are.
  Result<std::uint32_t> number() noexcept { return marks_.number(); }
  // Afterwards. Invalid for what is not marked.
  ObjectId number_of(Address object) noexcept {
    return marked(object) ? ObjectId{marks_.number_of(spans_.place_of(object))} : ObjectId{};
  }
  // visit(object), in the order of addresses, until it answers false.
  template <class Visit>
  void for_each_marked(Visit visit) noexcept {
    marks_.for_each([&](std::uint64_t place) { return visit(spans_.address_of(place)); });
  }

 private:
  std::span<const HeapSegment> segments_;
  const HeapSegment* last_ = nullptr;
  AddressSpans spans_;
  GrowingMarkTable marks_;
};

}  // namespace holdfast::clr
