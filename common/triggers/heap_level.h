// How full the heap is with what a collection of the whole of it has left: the level that heap-above= is compared with.
// Why not the figure after any collection: a young one leaves what died in the old generation. Measured on G1 with half of the heap
//      alive, a third of all young collections left more than 85 % (docs/decisions/007-full-heap.md);
//      Parallel and Serial do the same with a small young generation.
// Shape:  a figure below the threshold counts at once: what lives is no more than that. One above it counts
//           after a full collection, or
//           when every collection since has left as much, a concurrent marking of the whole heap has ended meanwhile and
//           kCollectionsAfterMarking more have followed, in which G1 takes the garbage that was found out of old regions and a CLR fills
//           the gaps that one beside the application has left.
//         A VM always collects in full before it throws an OutOfMemoryError, so the former is never too late to be seen; the
//         latter comes earlier.
// Zone:   event: under its owner's lock.   Errors: none.
#pragma once

#include <cstdint>

#include "common/collection_figures.h"

namespace holdfast {

class HeapLevel {
 public:
  // G1 spreads mixed collections over 8 pauses (G1MixedGCCountTarget); twice as many, because with 8 two of eleven runs were false.
  static constexpr std::uint32_t kCollectionsAfterMarking = 16;

  struct Reading {
    bool counts = false;
    std::uint32_t percent = 0;
  };

  // `now` is what the VM has counted so far.
  void begin(std::uint32_t threshold_percent, const CollectionFigures& now) noexcept;
  // Once a collection, in order.
  Reading after(const CollectionFigures& figures) noexcept;
  // Above the threshold, and no collection of the whole heap has confirmed it yet.
  bool in_doubt() const noexcept { return stretch_; }

  // Can these figures tell at all?
  static bool possible(const CollectionFigures& figures) noexcept;

 private:
  std::uint32_t threshold_ = 0;
  std::uint64_t full_ = 0;      // collections seen
  bool stretch_ = false;        // the last collections left too much
  std::uint64_t cycles_ = 0;    // when that began
  std::uint32_t followed_ = 0;  // collections since a marking ended
};

}  // namespace holdfast
