// How full the heap is with what collections leave, where all of them run beside the application (ZGC, Shenandoah) and none is told to be
// a full one: no figure is what lives, but each is an upper bound of it.
// Why not the used bytes alone: an application that allocates as fast as the collector frees takes every page at once. With two thirds of
//      the heap alive ZGC's used bytes were above 85 % in 12,630 pauses in a row, and in each of 2,400 looks a millisecond apart
//      (docs/decisions/038-zgc-shenandoah-level.md).
// Shape:  two bounds. What is used, at any pause and a few times in between; and, where it is told, what is used at the beginning of a collection less what was
//         allocated since the beginning of the one before: used' = used + allocated - freed, and what was freed did not live.
//         One below the threshold counts at once. Those above it count, as the least of them, when for kStretchNs there was no other and
//         collections of the whole heap have made kWholePauses pauses meanwhile: ZGC makes 3 a collection (5 or 6 with generations),
//         Shenandoah 2 to 4, so at least two collections began and ended. An idle heap has no collections: nobody knows what lives.
//         kNearlyFullNs is enough when nearly nothing is left: it fills up sooner than that.
// Zone:   event: under its owner's lock.   Errors: none.
#pragma once

#include <cstdint>

#include "common/collection_figures.h"
#include "common/triggers/heap_level.h"

namespace holdfast {

class HeapFloor {
 public:
  static constexpr std::uint32_t kWholePauses = 16;
  static constexpr std::uint64_t kStretchNs = 5'000'000'000;
  static constexpr std::uint64_t kNearlyFullNs = 2'000'000'000;
  static constexpr std::uint32_t kNearlyFullPercent = 95;

  // `now` is what the VM has counted so far.
  void begin(std::uint32_t threshold_percent, const CollectionFigures& now) noexcept;
  // Once a pause, in order.
  HeapLevel::Reading after(const CollectionFigures& figures, std::uint64_t now_ns) noexcept;
  // Between two pauses, several times a second while in doubt: Shenandoah makes no pause after it has freed memory.
  HeapLevel::Reading look(const CollectionFigures& figures) noexcept;
  // Above the threshold, and too few collections have confirmed it yet.
  bool in_doubt() const noexcept { return stretch_; }
  std::uint32_t least_percent() const noexcept { return least_; }  // while in doubt

  // Can these figures tell at all?
  static bool possible(const CollectionFigures& figures) noexcept;

 private:
  HeapLevel::Reading below(std::uint32_t percent) noexcept;
  std::uint32_t bound(const CollectionFigures& figures) noexcept;
  void begin_stretch(std::uint32_t percent, std::uint64_t whole, std::uint64_t now_ns) noexcept;

  std::uint32_t threshold_ = 0;
  std::uint64_t stamp_ = 0;       // of the last allocated_bytes
  std::uint64_t pauses_ = 0;      // seen
  bool stretch_ = false;          // no bound was below the threshold
  std::uint64_t since_ns_ = 0;    // when that began
  std::uint64_t whole_then_ = 0;  // and with how many pauses of whole collections
  std::uint32_t least_ = 0;
};

}  // namespace holdfast
