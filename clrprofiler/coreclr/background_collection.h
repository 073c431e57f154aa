// The collection in the background, as the collector's own word tells of it.
// Why: what a child sees beside one that sweeps may be half gone (object_starts.h); and while one goes on, each collection in the
//      foreground walks the whole heap for whoever listens to heaps, so whoever wants one walk waits.
// Zone:   phase(): child, capture. ended_within(): capture.
// Errors: none; where the word is not known there is no such collection.
#pragma once

#include <cstdint>

#include "clrprofiler/coreclr/heap_address.h"

namespace holdfast::clr {

enum class BackgroundPhase : std::uint32_t { kMarks = 0, kSweeps = 1, kNone = 2 };

class BackgroundCollection {
 public:
  BackgroundCollection() noexcept = default;
  // `state`: GcTables::background_state, or 0.
  explicit BackgroundCollection(Address state) noexcept : state_(state) {}

  BackgroundPhase phase() const noexcept;
  bool ended_within(std::uint64_t patience_ns) const noexcept;

 private:
  Address state_ = 0;
};

}  // namespace holdfast::clr
