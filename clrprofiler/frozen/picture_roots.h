// The roots of a picture, as a snapshot has them: the numbers of their objects, and who holds by which method or field.
// Shape:  in place: a record takes the room of the root that it is made of. O(roots log functions).
//         Methods are numbered as picture_names.h says: functions on stacks, then `statics` wanted static fields, then MethodAfterStatics.
// Zone:   child, when the heap is numbered.   Errors: kOutOfBudget: nothing was changed.
#pragma once

#include "clrprofiler/frozen/heap_picture.h"

namespace holdfast::clr {

Result<std::span<const RootRecord>> resolve_roots(std::span<PictureRoot> roots, MarkedHeap& heap,
                                                  const PictureSource& source,
                                                  std::uint64_t statics, Arena& arena) noexcept;

}  // namespace holdfast::clr
