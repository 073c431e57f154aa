// Everything about the heap that has a name, read before the pause: classes, loaders, fields, threads.
// Why before: none of it can be asked while the VM is stopped, and afterwards a class may be gone.
// Shape:  tables in memory.catalog_arena(), sized from counts (class_scan.h), 36 B a class + 4 B a field + names; plus, for the
//         walk, 8 B a class of referent rules. Where names do not fit, fields stay unnamed and a note says so.
//         Object numbers that exist before the walk: class objects, threads, loaders, in this order.
// Zone:   capture, application running. Leaves tags in the dump's jvmtiEnv, and local references in `handles` alone.
// Errors: the VM's; kOutOfBudget when memory= is too small for the classes alone.
#pragma once

#include <cstdint>
#include <span>

#include "common/capture_memory.h"
#include "common/notes.h"
#include "common/snapshot/catalog.h"
#include "jvmti/class_scan.h"
#include "jvmti/vm_memory.h"

namespace holdfast::jvmti {

// Room in the string table for names of frames' methods, which are only known after the pause: an eighth of the arena, and not
// more than thousands of threads need.
inline constexpr std::uint64_t kMaxMethodNames = 8192;
inline constexpr std::uint64_t kMethodNameBytes = 32;

// What only a reader of the heap's memory needs: the VM's own ids, and relations that are nowhere in the heap.
struct MemoryCatalog {
  std::span<std::uint64_t>
      field_ids;  // as Catalog::fields: jfieldID; empty where fields have no names
  std::span<std::uint64_t> loaders;          // [L] jobject, 0 for the boot loader
  std::span<std::uint32_t> first_interface;  // [C + 1] into interfaces
  std::span<std::uint32_t> interfaces;       // direct ones, by class; java::kNoClass where unknown
};

struct HeapCatalog {
  Catalog catalog;
  std::span<java::ReferentRule> referents;  // [C]
  std::uint32_t preassigned_objects = 0;
  ClassId class_class;      // java.lang.Class
  ClassId reference_class;  // java.lang.ref.Reference
  ClassId protection_domain_class;
  ClassId object_array_class;
  ClassId stack_chunk_class;
  MemoryCatalog memory;  // empty unless asked for

  std::span<const std::uint32_t> interfaces_of(ClassId id) const noexcept {
    return memory.interfaces.subspan(
        memory.first_interface[id.value],
        memory.first_interface[id.value + 1] - memory.first_interface[id.value]);
  }
};

// The local references of classes, threads and loaders. They go with it: before a walk, which would report each of them as a
// root, but after a freeze, which finds its classes through them.
struct CatalogHandles {
  explicit CatalogHandles(const VmAccess& vm) noexcept
      : frame(vm.jni), classes(vm.env), threads(vm.env) {}
  LocalFrame frame;
  VmMemory<jclass> classes;
  VmMemory<jthread> threads;
  jint class_count = 0;
  jint thread_count = 0;
};

enum class CatalogUse : std::uint8_t { kWalk, kMemory };

Result<void> read_catalog(const VmAccess& vm, CatalogUse use, CaptureMemory& memory,
                          CatalogHandles& handles, HeapCatalog& out, Notes& notes) noexcept;

}  // namespace holdfast::jvmti
