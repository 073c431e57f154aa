// How much the heap holds, and of what size its objects are, while the application runs and allocates.
// Why an estimate: a prediction must not stop the application for what it predicts. Resident memory is no measure: native
//      memory is most of it in some programs, and a heap of large arrays has a hundredth of the objects that its bytes suggest.
// Shape:  the segments' lengths are summed up. Of at most kMostSampled of them, spread over all, objects are read from the
//         start, kMostStretches stretches of 16 KB each. What moves meanwhile makes the estimate worse and nothing else: all
//         memory is copied before it is looked at, and what cannot be copied is left out. Below 2 ms.
// Zone:   capture.
// Errors: nothing where the segments cannot be followed; no size of objects where none could be read.
// Source: as heap_segments.h and object_header.h.
#pragma once

#include "clrprofiler/coreclr/gc_tables.h"

namespace holdfast::clr {

struct HeapEstimate {
  std::uint64_t used_bytes = 0;
  std::uint64_t committed_bytes = 0;
  std::uint64_t bytes_per_object = 0;  // 0: not known
};

std::optional<HeapEstimate> estimate_heap(const GcTables& tables) noexcept;

}  // namespace holdfast::clr
