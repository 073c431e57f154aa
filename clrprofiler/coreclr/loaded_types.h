// The classes of a module's type definitions that the runtime has loaded: nothing is loaded by asking.
// Why: the API lists modules and no classes, and a static field is only known by its class.
// Shape:  a list of tables, one entry for each type definition by its row in the metadata, with bits of the runtime's own in it. Generic types stand there open. O(definitions).
// Zone:   capture, application running, on a module that is not unloaded meanwhile. Checked reads.
// Errors: none; what is not there ends the list.
// Source: dotnet/runtime, vm/ceeload.h (LookupMap);
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/known_classes.h"

namespace holdfast::clr {

// Whether the module is never unloaded.
inline bool is_lasting(const RuntimeLayout& layout, Address module) noexcept {
  return read_word(module + layout.module_allocator) == layout.lasting_allocator;
}

// visit(class). `module`: a ModuleID, which is where the runtime's own Module stands.
template <class Visit>
void for_each_loaded_type(const RuntimeLayout& layout, Address module, Visit visit) noexcept {
  constexpr std::uint32_t kMostTables = 64, kMostTypes = 1 << 24;
  constexpr std::uint64_t kPage = 4096;
  Address map = module + layout.module_types;
  for (std::uint32_t t = 0; t < kMostTables && map != 0; ++t) {
    const auto table = read_word(map + layout.types_table);
    const auto count = read_checked<std::uint32_t>(map + layout.types_count);
    const auto flags = read_word(map + layout.types_flags);
    const auto next = read_word(map + layout.types_next);
    if (!table || !count || !flags || !next || *count > kMostTypes) return;
    for (std::uint32_t i = 0; i < *count; ++i) {
      const Address at = *table + i * sizeof(Address);
      if ((i == 0 || at % kPage == 0) && !platforms::is_readable(at)) return;
      const Address type = load<Address>(at) & ~*flags;
      if (type != 0 && is_class(layout, type)) visit(type);
    }
    map = *next;
  }
}

// The class of one definition; 0: it is not loaded.
inline Address loaded_type(const RuntimeLayout& layout, Address module,
                           std::uint32_t token) noexcept {
  constexpr std::uint32_t kMostTables = 64, kRow = 0x00FFFFFF;
  std::uint32_t row = token & kRow;
  Address map = module + layout.module_types;
  for (std::uint32_t t = 0; t < kMostTables && map != 0; ++t) {
    const auto count = read_checked<std::uint32_t>(map + layout.types_count);
    const auto next = read_word(map + layout.types_next);
    if (!count || !next) return 0;
    if (row < *count) {
      const auto table = read_word(map + layout.types_table);
      const auto flags = read_word(map + layout.types_flags);
      const auto entry = table ? read_word(*table + row * sizeof(Address)) : std::nullopt;
      if (!flags || !entry) return 0;
      const Address type = *entry & ~*flags;
      return is_class(layout, type) ? type : 0;
    }
    row -= *count;
    map = *next;
  }
  return 0;
}

}  // namespace holdfast::clr
