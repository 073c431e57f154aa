// What the VM's collector has done so far, as the VM counts it.
// Shape:  plain values; counters only ever grow.   Zone: capture, worker.   Errors: none; what is not known stays kUnknownCount.
#pragma once

#include <cstdint>

namespace holdfast {

inline constexpr std::uint64_t kUnknownCount = UINT64_MAX;

// Collections whose begin and end the VM told while somebody listened: what each found, and what it left.
struct HeardCollections {
  std::uint64_t count = 0;         // 0: nothing below is known
  std::uint64_t since_utc_ms = 0;  // listened from then on
  std::uint64_t longest_pause_ns = kUnknownCount;
  std::uint64_t reclaimed_bytes = kUnknownCount;  // by all of them
  // of the last one; used by the heap
  std::uint64_t before_bytes = kUnknownCount;
  std::uint64_t after_bytes = kUnknownCount;
};

struct CollectionFigures {
  std::uint64_t young =
      kUnknownCount;  // collections of the young generation; all there are, where the VM has one kind
  std::uint64_t full = kUnknownCount;
  std::uint64_t pause_ns = kUnknownCount;          // of all of them together
  std::uint64_t used_after_bytes = kUnknownCount;  // of the heap, when the last one ended
  std::uint64_t max_bytes = kUnknownCount;
  std::uint64_t cycles =
      kUnknownCount;  // concurrent markings of the whole heap that ended, where there are any
  bool cycles_collect = false;  // what one found dead is free when it ends: it is a collection

  // Collections of the whole heap, those beside the application too.
  std::uint64_t whole() const noexcept {
    const bool both = cycles_collect && full != kUnknownCount && cycles != kUnknownCount;
    return both ? full + cycles : full;
  }

  // All there were, as ages count them: whatever frees something is one. kUnknownCount: none is told.
  std::uint64_t count() const noexcept {
    if (young == kUnknownCount) return kUnknownCount;
    const bool both = cycles_collect && cycles != kUnknownCount;
    return young + (full != kUnknownCount ? full : 0) + (both ? cycles : 0);
  }

  // Where the VM tells no full collections, because all of them run beside the application (ZGC, Shenandoah):
  bool one_generation = false;  // each pause is one of a collection of the whole heap
  std::uint64_t whole_pauses =
      kUnknownCount;  // else: pauses of collections of the whole heap, where they are told
  // What threads took for small objects between the beginnings of the last two collections; a new stamp each time it is told anew.
  std::uint64_t allocated_bytes = kUnknownCount;
  std::uint64_t allocation_stamp = 0;

  std::uint64_t last_pause_ns = kUnknownCount;
  HeardCollections heard = {};

  bool known() const noexcept { return young != kUnknownCount || full != kUnknownCount; }
};

}  // namespace holdfast
