// Objects that were frozen after the API was asked where those end: it may not be asked while the runtime is suspended, as it takes a lock.
// Shape:  memory behind the last object is zero until the next one is there, which is then whole. O(objects that came late).
// Zone:   child (inline).   Errors: none.
#pragma once

#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/coreclr/known_classes.h"
#include "clrprofiler/coreclr/object_header.h"

namespace holdfast::clr {

// Moves the ends of frozen segments, which stay in order.
inline void follow_late_frozen(const RuntimeLayout& layout, std::span<HeapSegment> segments,
                               KnownClasses& classes) noexcept {
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i].frozen) continue;
    const Address limit = i + 1 < segments.size() ? segments[i + 1].objects.start : ~Address{0};
    Address& end = segments[i].objects.end;
    for (;;) {
      const auto type = read_word(end);
      if (!type || *type == 0 || classes.find(*type & ~layout.mark_bits) == KnownClasses::kNone)
        break;
      const std::uint64_t room = room_of(bytes_of(layout, end, *type & ~layout.mark_bits));
      if (room > limit - end || !platforms::is_readable(end + room - kObjectAlignment)) break;
      end += room;
    }
  }
}

}  // namespace holdfast::clr
