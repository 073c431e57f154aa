// What the VM's collector has done so far, as the VM counts it.
// Shape:  plain values; counters only ever grow.   Zone: capture, worker.   Errors: none; what is not known stays kUnknownCount.
#pragma once

#include <cstdint>

namespace holdfast {

inline constexpr std::uint64_t kUnknownCount = UINT64_MAX;

struct CollectionFigures {
  std::uint64_t young =
      kUnknownCount;  // collections of the young generation; all there are, where the VM has one kind
  std::uint64_t full = kUnknownCount;
  std::uint64_t pause_ns = kUnknownCount;          // of all of them together
  std::uint64_t used_after_bytes = kUnknownCount;  // of the heap, when the last one ended
  std::uint64_t max_bytes = kUnknownCount;
  std::uint64_t cycles =
      kUnknownCount;  // concurrent markings of the whole heap that ended, where there are any
};

}  // namespace holdfast
