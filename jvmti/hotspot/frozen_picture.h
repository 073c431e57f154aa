// From the frozen heap to a snapshot: shapes, trace, numbers, graph; then the heap's memory goes.
// Why two passes: the first finds out what is alive and how much of it there is, so that the second fills exact columns in the
//      order of addresses, which reads memory forward. What is numbered by address needs no renumbering afterwards.
// Shape:  O(objects + references). Scratch: 3.2 % of the heap's range where touched, 8 B a pending object, shapes. Result: 12 B an
//         object + 6 B a reference + 24 B a root.
// Zone:   child.
// Errors: kInconsistent: what was read contradicts itself, so the layout cannot be trusted. kOutOfBudget: the graph does not fit.
#pragma once

#include <cstdint>
#include <span>

#include "common/cancel.h"
#include "common/capture_memory.h"
#include "common/vm_adapter.h"
#include "jvmti/hotspot/frozen_catalog.h"
#include "jvmti/method_names.h"

namespace holdfast::jvmti {

struct FrozenPicture {
  const HeapLayout* layout = nullptr;
  FrozenCatalog catalog;
  Column<RawRoot> roots;
  Column<std::uint64_t> addresses;
  HeapFigures heap_before;
};

// Fills `out` but for what only the parent knows. `methods` numbers the methods that the roots name.
Result<void> read_picture(FrozenPicture& picture, const MethodNames& methods, CaptureMemory& memory,
                          const CancelToken& cancel, Capture& out) noexcept;

}  // namespace holdfast::jvmti
