// Where things stand in CoreCLR's heap and in its own structures: one typed description, found through what libcoreclr exports.
// Why: the frozen heap is read as memory. Whatever that needs is named here once; what is absent or implausible means that the rung is
//      off, never that something is guessed.
// Shape:  offsets in bytes from the start of their structure; addresses of the runtime's own variables.
// Zone:   read_runtime_layout(): capture, after the runtime has started. The values: any.
// Errors: read_runtime_layout() answers false and names the need in `why_not`.
// Source: the runtime's data contracts (contract_descriptor.h) and the collector's table (gc_tables.h); tried on 9 and 10 (README.md).
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

  // objects
  Address free_class = 0;             // of what lies where no object is
  std::uint64_t mark_bits = 0;        // a collector's own, in an object's first word
  std::uint32_t component_count = 0;  // in an array or a string

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
