// Objects that later dumps of the same process know again, each by a number of its own (track=on).
// Why: of two reports' largest objects nobody could say which is which; with a number "this map had 10 MB, now it has 50" can be told.
// Shape:  what an adapter knows before the passes, what it is told of the objects that they name, and how a root leads to those.
// Zone:   child, worker (passes).   Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "common/snapshot/kinds.h"
#include "common/typed_index.h"

namespace holdfast {

struct TrackedObject {
  ObjectId object;
  std::uint32_t number = 0;
  std::uint32_t first_sequence = 0;  // of the dump that named it first; 0: this one
  std::uint64_t first_utc_ms = 0;    // of the same
};

// A step of a path; a path's first step is the GC root's object.
struct PathStep {
  ObjectId object;
  RefLabel
      label;  // how the step before refers to this one; special(kClass) for the implied reference to the class
};

// How a root leads to an object, which is the last step.
struct WayToObject {
  std::uint32_t root = 0;  // index into Snapshot::roots
  std::span<const PathStep> steps;
  std::uint32_t gap_before = 0;  // steps are missing right before this one; 0: none are
};

struct Tracking {
  bool told = false;
  std::uint64_t began_utc_ms = 0;
  std::uint32_t next_number = 1;
  std::uint32_t gone = 0;  // known ones that were collected since the dump before
  std::uint32_t unfollowed =
      0;  // named by the dump before, and not found again in the running program
  std::span<const TrackedObject> known;  // by object
  // A pass has given this number to an object: the adapter looks for it in the running program. Without steps: a known one is named again.
  void (*name)(void* context, std::uint32_t number, const WayToObject& way) noexcept = nullptr;
  void* context = nullptr;
};

}  // namespace holdfast
