// The catalog of a dump: its classes with names and loaders, by the ClassIDs that its objects have.
// Shape:  class i of the catalog is ids[i]. Room for names that are found afterwards (fields, threads, methods) as `more` says.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC.
// Errors: kOutOfBudget: memory= is too small for the names of the classes alone.
#pragma once

#include <span>

#include "clrprofiler/names/class_rows.h"
#include "common/vm_adapter.h"

namespace holdfast::clr {

Result<void> read_class_catalog(ProfilerInfo& info, std::span<const ClassID> ids, NameRoom more,
                                CaptureMemory& memory, Catalog& out) noexcept;

}  // namespace holdfast::clr
