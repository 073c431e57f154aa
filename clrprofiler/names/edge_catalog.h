// What the edges of each class's objects are called: fields by name, elements by index.
// Why one array of labels: slot k of any class is instance_field(k), so all classes share 0, 1, 2 ….
// Shape:  edges[i + 1] belongs to ids[i], edges[0] to objects without a class, as GraphNames wants it; 48 B a class + 2 B a slot of
//         the class that has most, in catalog_arena(). Also fills the fields of the catalog's rows.
// Zone:   capture, application running (pointer_slots.h), after fill_classes() on the same `ids`.
// Errors: kOutOfBudget: nothing has a name then, and the catalog's rows are as before. A class whose layout makes no sense is
//         kUnknown.
#pragma once

#include "clrprofiler/heap/edge_names.h"
#include "clrprofiler/names/pointer_slots.h"

namespace holdfast::clr {

Result<std::span<const EdgeNames>> fill_edges(ClassReader& reader, StructTypes& structs,
                                              std::span<const ClassID> ids, CaptureMemory& memory,
                                              Catalog& catalog) noexcept;

}  // namespace holdfast::clr
