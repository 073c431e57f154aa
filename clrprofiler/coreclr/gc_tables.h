// Where the collector keeps what a reader of its heap needs: found in the table that it hands to debuggers.
// Why this way: libcoreclr exports where its tables for debuggers are, not what they are; the collector's own is told by its version
//      and by the size of a generation. The same table comes from libclrgc.so, where the application has that as its collector.
// Shape:  addresses of variables, and offsets in bytes into the structures `heap`, `generation` and `segment`. Workstation GC has one
//         set of variables; server GC an array of heaps with the same things at offsets.
// Zone:   read_gc_tables(): capture, after the collector has started. The values: any.
// Errors: nullptr when all is there, or what is missing.
// Source: dotnet/runtime, gc/gcinterface.dac.h and gcinterface.dacvars.def, version 2;
//         measured on 8, 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include <cstdint>

#include "clrprofiler/coreclr/heap_address.h"

namespace holdfast::clr {

inline constexpr std::uint32_t kGenerations = 5;  // 0, 1, 2, large objects, pinned objects
inline constexpr std::uint32_t kMostHeaps = 1024;

struct GcTables {
  // server GC: where the number of heaps stands (it adapts itself, from one collection to the next), and where the pointers to them
  // begin; else 0
  Address heap_count = 0;
  Address heap_array = 0;

  // where the variables are; server GC: offsets in a heap
  std::uint64_t alloc_allocated = 0;    // where the ephemeral segment's objects end
  std::uint64_t ephemeral_segment = 0;  // the segment that alloc_allocated is about
  std::uint64_t finalize_queue = 0;
  std::uint64_t generations = 0;  // kGenerations of them, one behind the other

  Address background_state = 0;  // of a collection in the background: 0 marks, 1 sweeps, 2 none
  Address handle_tables = 0;     // the first of a list of maps
  std::uint32_t generation_bytes = 0;
  std::uint32_t first_segment = 0;  // in a generation

  bool server() const noexcept { return heap_count != 0; }
  std::uint32_t heaps() const noexcept { return server() ? load<std::uint32_t>(heap_count) : 1; }
  // Of heap h (0 with workstation GC), where the variable that a member above is about stands.
  Address heap_variable(std::uint32_t h, std::uint64_t member) const noexcept {
    return server() ? load<Address>(heap_array + sizeof(Address) * h) + member : member;
  }
};

// `table`: the exported g_dacTable, or nullptr.
const char* read_gc_tables(const void* table, GcTables& out) noexcept;

}  // namespace holdfast::clr
