// Free regions of G1 are left out of the clone: what a collection emptied is still there, page by page, and a clone copies each
// page's entry. Nothing leads there, so the child has no need of it.
// Why proved before the pause: a wrong table would be read in the VM's own process. Only structures of regions that name their place
//      in the heap are read when the VM stands still, and only while it does so are they asked whether they are free.
// Shape:  8 B a region. When stopped: a look at each region, and two system calls for each of at most kMostRuns stretches of
//         kLeastRunBytes or more. Their ends are multiples of 2 MB, so that no huge page is split.
// Zone:   prove(): capture. leave_out(), take_back(): stopped, in the process that is cloned. The flags are on pages that hold no
//         object: if they stayed behind, other children of the application would miss nothing.
// Errors: prove(): kUnsupported, kOutOfBudget; then nothing is left out. The others: what the system refuses is cloned as ever.
// Source: madvise(2), MADV_DONTFORK; figures in docs/decisions/036-fork-snapshot-cost.md.
#pragma once

#include <span>

#include "common/arena.h"
#include "jvmti/hotspot/age_layout.h"
#include "jvmti/hotspot/heap_view.h"

namespace holdfast::jvmti {

class FreeRegions {
 public:
  static constexpr std::uint64_t kLeastRunBytes = std::uint64_t{8} << 20;

  Result<void> prove(const AgeLayout& layout, const HeapLayout& heap, Arena& arena) noexcept;
  void leave_out() noexcept;
  void take_back() noexcept;
  std::uint64_t bytes_left_out() const noexcept { return bytes_; }

 private:
  static constexpr std::size_t kMostRuns = 64;
  struct Run {
    std::byte* start;
    std::size_t bytes;
  };
  bool is_free(std::size_t i) const noexcept;
  void add(std::size_t first, std::size_t end) noexcept;
  Address start_of(std::size_t i) const noexcept {
    return heap_start_ + (std::uint64_t{i} << shift_);
  }

  AgeLayout layout_;
  Address heap_start_ = 0;
  std::uint32_t shift_ = 0;
  std::span<Address> regions_;  // in the order of places; 0: it was not there when they were proved
  Run runs_[kMostRuns];
  std::size_t count_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace holdfast::jvmti
