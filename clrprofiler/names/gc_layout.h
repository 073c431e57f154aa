// Where in its objects a class keeps references, in the order in which the runtime reports them.
// Why from memory: the profiling API tells offsets of fields, but neither which fields inside an embedded struct are references nor
//      the order, and an edge of a heap event is known by its place in that order alone. The collector's own description of the
//      class has both, has not changed since the first .NET, and stands in front of the method table, which a ClassID points to.
// Shape:  offsets from the start of the object, inherited ones first; O(references). Of an array of structs: the references of one
//         element, offsets from the start of the element. An array of references has one reference an element, at 0.
// Zone:   capture, while the class is alive. Reads the runtime's memory: nothing is believed that does not fit the base size.
// Errors: kUnsupported: not 64 bits, or no method table (a ClassID of a pointer type); kInconsistent: what stands there makes no
//         sense; kTooMany: more references than there is room for.
// Source: the runtime's CGCDesc (gcdesc.h) as measured on 8, 9 and 10; facts are checked against EnumerateObjectReferences
//         (docs/decisions/069-clr-names.md).
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/com.h"
#include "common/result.h"

namespace holdfast::clr {

struct GcLayout {
  std::span<const std::uint32_t> offsets;
  std::uint32_t base_bytes =
      0;  // of an object, of an array without elements; the header word included
  std::uint32_t element_bytes = 0;  // 0: no array (and no string)
  bool collectible = false;  // objects also refer to their LoaderAllocator, before all others
};

Result<GcLayout> read_gc_layout(ClassID id, std::span<std::uint32_t> room) noexcept;

}  // namespace holdfast::clr
