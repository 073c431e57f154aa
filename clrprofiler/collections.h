// What the collector has done so far, from the begins and ends of collections that the runtime tells.
// Why counted here: the runtime keeps no counters that can be read without managed code; it tells of collections only while somebody asks
//      for them (event_mask.h), so without such a trigger all figures stay unknown.
// Shape:  one runtime, whose collections do not overlap. A begin says which generations are collected; the second of five (gen0, gen1, gen2, large, pinned) tells a whole one. Begins
//         and ends nest where a young collection runs inside a background one, so ends are not paired with begins.
// Zone:   started(), finished(): event, the runtime stopped. figures(): any.
// Errors: none; what is not known stays kUnknownCount.
#pragma once

#include <atomic>
#include <cstdint>

#include "clrprofiler/profiler_info.h"
#include "common/collection_figures.h"

namespace holdfast::clr {

class Collections {
 public:
  // At load. kUnknownBytes: nothing but the machine bounds the heap.
  void set_limit(std::uint64_t heap_bytes) noexcept { limit_ = heap_bytes; }
  std::uint64_t limit_bytes() const noexcept { return limit_; }
  void started(int generations, const BOOL* collected) noexcept;
  // Reads how much the heap holds now.
  void finished(ProfilerInfo& info) noexcept;
  CollectionFigures figures() const noexcept;
  // Of the heap, at the end of the last collection that was told; kUnknownCount: none was.
  std::uint64_t used_bytes() const noexcept { return used_.load(std::memory_order_relaxed); }
  std::uint64_t committed_bytes() const noexcept {
    return committed_.load(std::memory_order_relaxed);
  }

 private:
  // Regions of all generations: 64 GB of heap. Of a heap with more nothing is told. Touched as far as there are any.
  static constexpr std::size_t kMostRanges = 1u << 14;

  COR_PRF_GC_GENERATION_RANGE ranges_[kMostRanges];
  std::uint64_t limit_ = kUnknownCount;
  std::atomic<std::uint64_t> young_{0};
  std::atomic<std::uint64_t> whole_{0};
  std::atomic<std::uint64_t> used_{kUnknownCount};
  std::atomic<std::uint64_t> committed_{kUnknownCount};
};

}  // namespace holdfast::clr
