// Where things stand in CoreCLR's heap and in its own structures: one typed description, found through what libcoreclr exports.
// Why: the frozen heap is read as memory. Whatever that needs is named here once; what is absent or implausible means that the rung is
//      off, never that something is guessed.
// Shape:  offsets in bytes from the start of their structure; addresses of the runtime's own variables.
// Zone:   read_runtime_layout(): capture, after the runtime has started. The values: any.
// Errors: read_runtime_layout() answers false and names the need in `why_not`.
// Source: the runtime's data contracts (contract_descriptor.h) and the collector's table (gc_tables.h);
//         tried on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/gc_tables.h"

namespace holdfast::clr {

struct RuntimeLayout {
  GcTables gc;

  // threads
  Address thread_store = 0;         // where the pointer to the list of threads stands
  std::uint32_t first_thread = 0;   // in the list: where the first link stands
  std::uint32_t thread_link = 0;    // in a thread: the link, which leads to the next one's
  std::uint32_t thread_locals = 0;  // in a thread: what the runtime keeps of its own for it
  // in those: where the next object would be put, and the end of the room for it
  std::uint32_t allocation_pointer = 0;
  std::uint32_t allocation_limit = 0;
  std::uint32_t thread_statics = 0;  // in a thread: what leads to its thread-static fields
  std::uint32_t statics_array = 0;   // in that: the array of their values
  std::uint32_t thread_frame = 0;    // in a thread: its topmost Frame, ~0 where it has none

  // objects
  Address free_class = 0;             // of what lies where no object is
  std::uint64_t mark_bits = 0;        // a collector's own, in an object's first word
  std::uint32_t component_count = 0;  // in an array or a string

  // classes: a class -> its EEClass, or with bit 0 set the class that shares its code -> the class that it belongs to
  std::uint32_t class_shared = 0;
  std::uint32_t shared_class = 0;
  std::uint32_t class_parent = 0;

  // static fields: flags of a class, in front of what it has apart from it where they stand, and from its EEClass the fields' descriptions
  std::uint32_t class_flags2 = 0;
  std::uint32_t statics_info_bytes = 0;
  std::uint32_t statics_info_slots = 0;
  std::uint32_t thread_info_bytes = 0;  // where they are of a thread: the same, and more before it
  std::uint32_t thread_info_index = 0;  // in that: where a thread's array has those of the class
  std::uint32_t shared_fields = 0;

  // what all modules share that are never unloaded
  std::uint32_t class_module = 0;
  Address lasting_allocator = 0;

  // a module -> the classes of its type definitions: a list of tables
  std::uint32_t module_types = 0;
  std::uint32_t types_next = 0;
  std::uint32_t types_table = 0;
  std::uint32_t types_count = 0;
  std::uint32_t types_flags = 0;  // bits of an entry that are none of the address

  // a module -> the instantiations of generic types that it keeps: a hash table
  std::uint32_t module_instances = 0;
  std::uint32_t instances_buckets = 0;
  std::uint32_t instance_class = 0;
  std::uint32_t instance_next = 0;

  // a collectible class -> what it has apart from it -> its loader's module -> its LoaderAllocator
  std::uint32_t class_auxiliary = 0;
  std::uint32_t auxiliary_module = 0;
  std::uint32_t module_allocator = 0;
};

// What a library exports, by name; nullptr when it does not. (platforms/module.h has the real one.)
using RuntimeSymbol = const void* (*)(const char* name) noexcept;

struct RuntimeRefusal {
  char text[160] = "";
};

bool read_runtime_layout(RuntimeSymbol symbol, RuntimeLayout& out,
                         RuntimeRefusal& why_not) noexcept;

}  // namespace holdfast::clr
