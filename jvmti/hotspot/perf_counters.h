// What the collector has done, read from the VM's own counters where they lie in its memory.
// Why: JVMTI tells that a collection ended, and neither which kind nor what it left; asking Java would load classes into the
//      application and allocate in a heap that may be full. The counters are plain words that the VM keeps anyway.
// Shape:  PerfMemory::_start .. _end holds a prologue and entries that are never moved: found once by name, then at most
//         kMaxSpaces + kMaxAllocations + 15 words are read. Which collector's counter means what:
//         docs/decisions/037-collection-counters.md.
//         The clock's frequency is told by a counter that the VM makes after VM init: it is looked for until it is there.
//         used_after_bytes is exact when read in GarbageCollectionFinish; later the VM's sampling moves it on.
// Zone:   open(): VM init. figures(): event (at a safepoint), capture, worker.
// Errors: open() answers false and figures() stays unknown under -XX:-UsePerfData, and in any VM whose counters look strange.
// Source: HotSpot, runtime/perfMemory.hpp, services/ and gc/*/: CollectorCounters, GenerationCounters.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/collection_figures.h"
#include "jvmti/hotspot/vm_tables.h"

namespace holdfast::jvmti {

class PerfCounters {
 public:
  static constexpr std::size_t kMaxCollectors = 3;
  static constexpr std::size_t kMaxSpaces = 6;        // a generation has at most 4, and there are 2
  static constexpr std::size_t kMaxAllocations = 12;  // sun.gc.tlab.*: 10 or 13 with maxima

  // `max_heap_bytes`: MaxHeapSize.
  bool open(VmSymbol symbol, std::uint64_t max_heap_bytes) noexcept;
  CollectionFigures figures() const noexcept;

 private:
  friend struct CounterSearch;
  using Word = const std::byte*;  // of a 64-bit counter; nullptr: there is none

  struct Collector {
    Word invocations = nullptr;
    Word time = nullptr;
    Word entry = nullptr;  // when it last began and ended, in ticks
    Word exit = nullptr;
  };
  // Which of the collectors' counters is what; a divisor of 0: unknown.
  struct Meaning {
    std::size_t young = kMaxCollectors;
    std::size_t full = kMaxCollectors;
    std::size_t cycles = kMaxCollectors;
    std::size_t whole = kMaxCollectors;  // pauses of collections of the whole heap
    bool one_generation = false;
    bool allocation_told = false;
    static constexpr std::uint64_t kPausesOfCycle = 2;
  };

  std::uint64_t count_of(std::size_t collector) const noexcept;
  std::uint64_t ticks_per_s() const noexcept;
  std::uint64_t ns_of(std::uint64_t ticks) const noexcept;  // kUnknownCount: not told yet
  std::uint64_t last_pause_ns() const noexcept;
  void add_allocation(CollectionFigures& out) const noexcept;

  Collector collectors_[kMaxCollectors];
  Word spaces_[kMaxSpaces] = {};
  std::size_t space_count_ = 0;
  Word allocated_words_ = nullptr;
  Word allocations_[kMaxAllocations] = {};  // and what is told together with it
  std::size_t allocation_count_ = 0;
  Word survivor_capacity_ = nullptr;
  const std::byte* start_ = nullptr;  // of the counters' memory
  std::size_t size_ = 0;
  mutable std::uint64_t ticks_per_s_ = 0;  // the same whoever finds it; 0: not told yet
  std::uint64_t max_heap_bytes_ = 0;
  Meaning meaning_;
};

}  // namespace holdfast::jvmti
