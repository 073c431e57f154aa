// What the collector has done so far, from the begins and ends of collections that the runtime tells.
// Why counted here: the runtime keeps no counters that can be read without managed code; it tells of collections only while somebody asks
//      for them (event_mask.h), so without such a trigger all figures stay unknown.
// Shape:  one runtime. A begin says which generations are collected; the third of five (gen0, gen1, gen2, large, pinned) tells a whole one.
//         Only a collection in the background has others begin and end inside it: a second begin without an end is one of those, and
//         the next end is its. A whole collection counts at its own end: before that nothing of the old generation is free.
//         One during which the application ran is a cycle: what died meanwhile, and what it could not move together, is still used.
//         Collections that a dump of ours forces (OwnCollection) tell how much the heap holds, and are no collections of the application's.
//         A standstill for a collection is a pause; one in the background has two. What a collection found and left is told of those
//         that the application waited for: beside one in the background it allocates, so nobody can say what that one reclaimed.
// Zone:   started(), finished(): event, one at a time. stands_still(), resumed(): event. OwnCollection: capture. figures(): any.
// Errors: none; what is not known stays kUnknownCount.
#pragma once

#include <atomic>
#include <cstdint>

#include "clrprofiler/profiler_info.h"
#include "common/collection_figures.h"
#include "common/collection_log.h"

namespace holdfast::clr {

class Collections {
 public:
  // At load. kUnknownBytes: nothing but the machine bounds the heap.
  void set_limit(std::uint64_t heap_bytes) noexcept { limit_ = heap_bytes; }
  std::uint64_t limit_bytes() const noexcept { return limit_; }
  // The runtime begins to tell its collections; one may be running.
  void begin_hearing(std::uint64_t utc_ms) noexcept {
    log_.begin(utc_ms);
    anew_.store(true, std::memory_order_release);
  }
  // Reads how much the heap holds now.
  void started(ProfilerInfo& info, int generations, const BOOL* collected) noexcept;
  // The application stands still for a collection, or will at once; and runs again.
  void stands_still(std::uint64_t now_ns) noexcept;
  void resumed(std::uint64_t now_ns) noexcept;
  // Reads how much the heap holds now.
  void finished(ProfilerInfo& info) noexcept;
  CollectionFigures figures() const noexcept;
  // Those of a runtime that has not told of any collection yet, but will.
  CollectionFigures figures_once_told() const noexcept;
  // Of the heap, at the end of the last collection that was told; kUnknownCount: none was.
  std::uint64_t used_bytes() const noexcept { return used_.load(std::memory_order_relaxed); }
  std::uint64_t committed_bytes() const noexcept {
    return committed_.load(std::memory_order_relaxed);
  }

 private:
  friend class OwnCollection;
  // Regions of all generations: 64 GB of heap. Of a heap with more nothing is told. Touched as far as there are any.
  static constexpr std::size_t kMostRanges = 1u << 14;

  void note_pause(std::uint64_t pause_ns) noexcept;
  void count_begin(int generations, const BOOL* collected) noexcept;
  struct Bounds {
    std::uint64_t used = kUnknownCount;
    std::uint64_t committed = kUnknownCount;
  };
  Bounds read_bounds(ProfilerInfo& info) noexcept;
  bool beside() const noexcept { return resumed_.load(std::memory_order_acquire); }

  COR_PRF_GC_GENERATION_RANGE ranges_[kMostRanges];
  std::uint64_t limit_ = kUnknownCount;
  // -- the events' own --
  int running_ = 0;                   // 2: one in the background, and one inside it
  bool whole_ = false;                // the outer one is of the whole heap
  bool own_ = false;                  // and began while a dump of ours forced one
  std::uint64_t still_since_ns_ = 0;  // 0: it is not said to stand still for a collection

  std::atomic<bool> anew_{false};  // the events before this moment were not told
  std::atomic<bool> forces_{false};
  std::atomic<bool> resumed_{false};  // since the outer one began
  std::atomic<std::uint64_t> young_{0};
  std::atomic<std::uint64_t> full_{0};
  std::atomic<std::uint64_t> cycles_{0};
  std::atomic<std::uint64_t> used_{kUnknownCount};
  std::atomic<std::uint64_t> committed_{kUnknownCount};
  std::atomic<std::uint64_t> pause_ns_{
      kUnknownCount};  // of all that were told; written by resumed()
  CollectionLog log_;
};

// While a dump forces a collection.
class OwnCollection {
 public:
  explicit OwnCollection(Collections& collections) noexcept : collections_(collections) {
    collections_.forces_.store(true, std::memory_order_release);
  }
  ~OwnCollection() { collections_.forces_.store(false, std::memory_order_release); }
  OwnCollection(const OwnCollection&) = delete;
  OwnCollection& operator=(const OwnCollection&) = delete;

 private:
  Collections& collections_;
};

}  // namespace holdfast::clr
