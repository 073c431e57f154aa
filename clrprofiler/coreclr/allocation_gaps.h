// Room that threads have taken for the objects that they will make: no object begins there.
// Why not closed: making such room look like an object means writing into the application's heap.
// Shape:  [start, end) of each thread that has room, in order; 16 B each in the arena. O(threads).
// Zone:   child.
// Errors: kInconsistent: a context that ends before it begins; kTooMany: the list of threads does not end; kOutOfBudget.
// Source: dotnet/runtime, gc/gcinterface.h (gc_alloc_context): the least object fits behind the limit.
#pragma once

#include <span>

#include "clrprofiler/coreclr/heap_segments.h"
#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

Result<std::span<const AddressRange>> read_allocation_gaps(const RuntimeLayout& layout,
                                                           Arena& arena) noexcept;

}  // namespace holdfast::clr
