// The instantiations of generic types that the runtime has loaded and keeps with a module: nothing is loaded by asking.
// Why: each has static fields of its own, and no table by type definition has them.
// Shape:  a hash table of chains. In front of its buckets: how many there are, the table that replaces it, from some version on the mark
//         that ends its chains, which is odd; a chain ends at zero or such a mark. O(instantiations).
// Zone:   capture, application running, on a module that is not unloaded meanwhile; child. Checked reads.
// Errors: what is not there ends a chain or the list. While the table grows some are missed.
// Source: dotnet/runtime, vm/dacenumerablehash.h, vm/typehash.h;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
#pragma once

#include "clrprofiler/coreclr/known_classes.h"

namespace holdfast::clr {

// Of a table: while the application runs a few chains may be cut, where something was put in after the clone.
struct ChainCounts {
  std::uint64_t walked = 0;  // those that are not empty
  std::uint64_t cut = 0;     // that lead to where nothing is
};

// visit(class), array classes included.
template <class Visit>
ChainCounts for_each_instantiation(const RuntimeLayout& layout, Address module,
                                   Visit visit) noexcept {
  constexpr std::uint64_t kMostBuckets = 1 << 22, kMostEntries = 1 << 20, kWord = sizeof(Address);
  constexpr Address kOdd = 1, kNoClass = 2;  // kNoClass: a pointer's or a type parameter's
  const auto table = read_word(module + layout.module_instances);
  if (!table || *table == 0) return {};
  const auto buckets = read_word(*table + layout.instances_buckets);
  const auto count = buckets ? read_word(*buckets) : std::nullopt;
  const auto mark = buckets ? read_word(*buckets + 2 * kWord) : std::nullopt;
  if (!count || !mark || *count > kMostBuckets) return {};
  const std::uint64_t first = (*mark & kOdd) != 0 ? 3 : 2;
  std::uint64_t entries = 0;
  ChainCounts chains;
  for (std::uint64_t i = 0; i < *count; ++i) {
    auto entry = read_word(*buckets + (first + i) * kWord);
    if (entry && (*entry == 0 || (*entry & kOdd) != 0)) continue;
    ++chains.walked;
    while (entry && *entry != 0 && (*entry & kOdd) == 0 && ++entries < kMostEntries) {
      const auto value = read_word(*entry + layout.instance_class);
      const Address type = value.value_or(0) & ~kOdd;
      if ((type & kNoClass) == 0 && is_class(layout, type)) visit(type);
      entry = read_word(*entry + layout.instance_next);
    }
    chains.cut += entry ? 0 : 1;
  }
  return chains;
}

}  // namespace holdfast::clr
