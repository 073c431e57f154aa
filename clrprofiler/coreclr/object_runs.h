// Every object that lies in a segment, dead ones too, one after the other.
// Shape:  O(objects). Allocation gaps are stepped over, free objects left out. A walk has to end exactly where its segment does: that is its
//         check.
// Zone:   child (inline).
// Errors: kInconsistent (detail: the address) where no class stands or an object passes its segment's end.
#pragma once

#include <algorithm>

#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

// visit(object, class, bytes). `gaps`: all of them, in order.
template <class Visit>
Result<void> for_each_object(const RuntimeLayout& layout, const HeapSegment& segment,
                             std::span<const AddressRange> gaps, Visit visit) noexcept {
  auto gap =
      std::lower_bound(gaps.begin(), gaps.end(), segment.objects.start,
                       [](const AddressRange& one, Address start) { return one.start < start; });
  Address at = segment.objects.start;
  while (at < segment.objects.end) {
    while (gap != gaps.end() && gap->start < at) ++gap;
    if (gap != gaps.end() && gap->start == at) {
      at = gap->end;
      continue;
    }
    const Address type = class_of(layout, at);
    if (type == 0) return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(at));
    const std::uint64_t bytes = bytes_of(layout, at, type);
    if (type != layout.free_class) visit(at, type, bytes);
    at += room_of(bytes);
  }
  if (at != segment.objects.end)
    return make_error(ErrorCode::kInconsistent, static_cast<std::int64_t>(at));
  return {};
}

}  // namespace holdfast::clr
