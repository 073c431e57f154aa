// What keeps a collectible load context alive for each of its objects: a reference that lies in no slot.
// Why: the collector follows it, and the profiling API tells it before all others; without it what a forgotten plug-in holds has no path.
// Shape:  a collectible class leads to its loader's module, that to its LoaderAllocator, and a word of that is the handle of the managed
//         LoaderAllocator. The runtime does not tell which word: the one that is the address of a long weak handle. Found at the first collectible
//         class, O(words x handle segments); after that 4 reads a class,
//         all of them checked.
// Zone:   child.
// Errors: kInconsistent (detail: the class) where no word is one, or more than one are, or where the chain breaks.
// Source: dotnet/runtime, vm/methodtable.h, ceeload.h, loaderallocator.hpp; measured on 9 and 10 (README.md).
#pragma once

#include <span>

#include "clrprofiler/coreclr/handle_tables.h"
#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

inline bool is_collectible(Address type) noexcept {
  constexpr std::uint32_t kCollectible = 0x00200000u;
  return (load<std::uint32_t>(type) & kCollectible) != 0;
}

class LoadContexts {
 public:
  LoadContexts(const RuntimeLayout& layout, const HandleLayout& handles,
               std::span<const Address> segments) noexcept
      : layout_(layout), handles_(handles), segments_(segments) {}

  // The managed LoaderAllocator of a collectible class; 0: it has been collected.
  Result<Address> object_of(Address type) noexcept;

 private:
  bool is_long_weak_handle(Address at) const noexcept;
  Result<std::uint32_t> find_word(Address allocator, Address type) const noexcept;

  const RuntimeLayout& layout_;
  const HandleLayout& handles_;
  std::span<const Address> segments_;
  std::uint32_t word_ =
      0;  // offset in a LoaderAllocator; 0: not found yet (its first word is its method table)
};

}  // namespace holdfast::clr
