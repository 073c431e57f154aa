// How much of the heap is in use at this moment, for events that come before a collection.
// Why not the counters: those of Serial and Parallel are sampled every 50 ms, and those of G1 leave out large objects until a collection
//      ends. The VM's own figures are words whose places it tells.
// Shape:  G1: one word, without the regions that threads fill right now (one, on a machine with one NUMA node). Serial, Parallel: where
//         each of four spaces begins and where it is filled to. Found once; at most 8 words are read.
// Zone:   open(): VM init. used_bytes(): event (the application stands still), capture, worker. Spaces: child.
// Errors: other collectors, other tables, or what cannot be: not open, and used_bytes() is kUnknownCount.
// Source: HotSpot, gc/{g1,parallel,serial}/vmStructs_*.hpp; tried on 17 and 25.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/collection_figures.h"
#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

class HeapUse {
 public:
  // `max_heap_bytes`: more cannot be in use.
  bool open(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept;
  bool is_open() const noexcept { return total_ != nullptr || space_count_ != 0; }
  std::uint64_t used_bytes() const noexcept;
  // Serial, Parallel: visit(start, end of what is filled) for each space. Only reads words that open() found.
  template <class Visit>
  void for_each_space(Visit visit) const noexcept {
    for (std::size_t i = 0; i < space_count_; ++i)
      visit(word_at(spaces_[i] + bottom_), word_at(spaces_[i] + top_));
  }

 private:
  friend struct SpaceSearch;
  static std::uint64_t word_at(const std::byte* word) noexcept {
    return __atomic_load_n(reinterpret_cast<const std::uint64_t*>(word), __ATOMIC_RELAXED);
  }
  static constexpr std::size_t kMostSpaces = 4;  // eden, two for survivors, the old generation

  const std::byte* total_ = nullptr;
  const std::byte* spaces_[kMostSpaces] = {};
  std::size_t space_count_ = 0;
  std::uint64_t bottom_ = 0;  // offsets in a space
  std::uint64_t top_ = 0;
  std::uint64_t max_bytes_ = 0;
};

}  // namespace holdfast::jvmti
