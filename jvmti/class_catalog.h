// Everything about the heap that has a name, read before the pause: classes, loaders, fields, threads.
// Why before: none of it can be asked while the VM is stopped, and afterwards a class may be gone.
// Shape:  tables in memory.catalog_arena(), sized from counts (class_scan.h), 36 B a class + 4 B a field + names; plus, for the
//         walk, 8 B a class of referent rules. Where names do not fit, fields stay unnamed and a note says so.
//         Object numbers that exist before the walk: class objects, threads, loaders, in this order.
// Zone:   capture, application running. Leaves tags in the dump's jvmtiEnv and no local reference behind.
// Errors: the VM's; kOutOfBudget when memory= is too small for the classes alone.
#pragma once

#include <cstdint>
#include <span>

#include "common/capture_memory.h"
#include "common/notes.h"
#include "common/snapshot/catalog.h"
#include "jvmti/class_scan.h"

namespace holdfast::jvmti {

// Room in the string table for names of frames' methods, which are only known after the pause: an eighth of the arena, and not
// more than thousands of threads need.
inline constexpr std::uint64_t kMaxMethodNames = 8192;
inline constexpr std::uint64_t kMethodNameBytes = 32;

struct HeapCatalog {
  Catalog catalog;
  std::span<ReferentRule> referents;  // [C]
  std::uint32_t preassigned_objects = 0;
  ClassId class_class;  // java.lang.Class
};

Result<void> read_catalog(const VmAccess& vm, CaptureMemory& memory, HeapCatalog& out,
                          Notes& notes) noexcept;

}  // namespace holdfast::jvmti
