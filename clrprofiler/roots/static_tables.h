// Values of static variables of which a collection does not tell whose they are: those of generic types.
// Why by their tables: static variables are elements of arrays that handles hold, and those of generic types lie between the others. So
//      what an array with a told slot holds beside the told ones is a static variable, too; nobody says of which type. On .NET 8 they also
//      have arrays of their own, beside those: held by handles that do not pin, in the same stretch of the pinned heap, where
//      applications put no arrays of references.
// Shape:  one pass over the runs (heap/heap_recording.h) in which told slots lie, O(their nodes and edges x log slots). 8 B a slot,
//         a value and a handle of scratch. Once the recording's runs know their edges, that is after HeapGraph::read().
// Zone:   capture.   Errors: kOutOfBudget.
#pragma once

#include <span>

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/roots/static_slots.h"
#include "common/arena.h"

namespace holdfast::clr {

// Each becomes a root like `root` with its own object; the answer is how many. A root column that is full takes no more.
Result<std::uint32_t> add_untold_statics(HeapRecording& recording, std::span<const StaticSlot> told,
                                         const RecordedRoot& root, Arena& scratch) noexcept;

}  // namespace holdfast::clr
