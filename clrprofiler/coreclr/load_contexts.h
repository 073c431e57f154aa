// What keeps a collectible load context alive for each of its objects: a reference that lies in no slot.
// Why: the collector follows it, and the profiling API tells it before all others; without it what a forgotten plug-in holds has no path.
// Shape:  a collectible class leads to its loader's module, that to its LoaderAllocator, and a word of that is the handle of the managed
//         LoaderAllocator. The runtime does not tell which word. That it is the address of a long weak handle is not enough: words that were never
//         written may be such addresses, too. So the object has to lead back: one of its first references is its scout, whose first field is the
//         LoaderAllocator's address. O(words x handle segments) for the first class, and where the word of the one before is not the one; else 8 to 14
//         reads a class, all of them checked.
// Zone:   child.
// Errors: kInconsistent (detail: the class) where the chain breaks or no object leads back, as when it has been collected.
// Source: dotnet/runtime, vm/methodtable.h, ceeload.h, loaderallocator.hpp, System/Reflection/LoaderAllocator.cs;
//         measured on 9 and 10 (docs/decisions/065-clr-heap-as-memory.md).
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

  // The managed LoaderAllocator of a collectible class.
  Result<Address> object_of(Address type) noexcept;

 private:
  bool is_long_weak_handle(Address at) const noexcept;
  Address object_by(Address allocator, std::uint32_t word) const noexcept;
  Address find_object(Address allocator) noexcept;

  const RuntimeLayout& layout_;
  const HandleLayout& handles_;
  std::span<const Address> segments_;
  std::uint32_t word_ = 0;  // the last one's offset in its LoaderAllocator; 0: none yet
};

}  // namespace holdfast::clr
