// Graphs that look like heaps, of any size: maps, lists, arrays and entities, about 2.5 references an object.
// Shape:  seeded, the same on every machine. Object order: as a capture numbers them (reads memory forward), or shuffled (the worst
//         case for caches). About 4 in 10 references are cross or back references, as on real heaps; strings are partly shared;
//         class objects are roots, but those of the last two classes hang in a class loader, as a web application's do.
// Zone:   offline.   Errors: none.
#pragma once

#include <cstdint>

#include "analysis/lab/lab_graph.h"

namespace holdfast::analysis::lab {

enum class ObjectOrder { kCapture, kShuffled };

LabGraph heap_like(std::uint32_t objects, std::uint64_t seed, ObjectOrder order);

}  // namespace holdfast::analysis::lab
