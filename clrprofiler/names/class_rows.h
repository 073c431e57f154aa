// The classes and loaders of a dump's catalog, by the ClassIDs that its objects have.
// Why after the capture: only it knows the ClassIDs; nothing of it needs the application stopped (but see ClassReader on
//      collectible types).
// Shape:  catalog.classes[i] is ids[i]; superclass where that is one of `ids`; no fields (pointer_slots.h). 40 B a class + its name
//         in catalog_arena(), 16 B a class + its name of scratch in work_arena(), given back.
// Zone:   capture; see ClassReader.
// Errors: kOutOfBudget: memory= is too small for the names of the classes alone; nothing of the catalog is valid then.
#pragma once

#include <cstdint>
#include <span>

#include "clrprofiler/names/class_reader.h"
#include "common/capture_memory.h"
#include "common/snapshot/catalog.h"

namespace holdfast::clr {

// What else will be put into catalog.strings: fields, threads, methods.
struct NameRoom {
  std::uint32_t names = 0;
  std::uint64_t text_bytes = 0;
};

Result<void> fill_classes(ClassReader& reader, std::span<const ClassID> ids, NameRoom more,
                          CaptureMemory& memory, Catalog& catalog) noexcept;

}  // namespace holdfast::clr
