// From a picture that was traced and numbered, and names for its classes, to a snapshot in memory or to a file of one.
// Why a second pass: the first found out what is alive and how much of it there is, so this one fills exact columns in the order of addresses,
//      which reads memory forward, and nothing needs new numbers afterwards.
// Shape:  O(objects + references). fill(): 12 B an object + 6 B a reference (common/snapshot/snapshot_fill.h). stream(): a window.
//         An object's references: its load context, its slots, what dependent handles of it hold.
// Zone:   child, while the heap can be read.
// Errors: make(): kOutOfBudget. fill(): kOutOfBudget: the graph does not fit, and all but that still works; kInconsistent. stream(): the stream's.
#pragma once

#include "analysis/graph_window.h"
#include "clrprofiler/ages/age_view.h"
#include "clrprofiler/counted_classes.h"
#include "clrprofiler/frozen/heap_picture.h"
#include "clrprofiler/heap/edge_names.h"
#include "common/snapshot/snapshot_fill.h"

namespace holdfast::clr {

class PictureGraph {
 public:
  // `edges`: by row of `classes`, or empty where no reference has a name.
  PictureGraph(HeapPicture& picture, const MetClasses& classes, std::span<const EdgeNames> edges,
               const AgeView& ages) noexcept
      : picture_(picture), classes_(classes), edges_(edges), ages_(ages) {}
  Result<void> make(Arena& arena) noexcept;

  std::uint64_t references() const noexcept {
    return picture_.counts().references + picture_.dependents().size();
  }
  // `roots` lie at the start of the root column.
  Result<void> fill(std::uint32_t objects, CaptureMemory& memory, const Catalog& catalog,
                    std::span<const RootRecord> roots, Snapshot& out) noexcept;
  Result<void> stream(Arena& arena, analysis::SnapshotStream& out) noexcept;

 private:
  enum class Fit : std::uint8_t { kUntold, kFits, kNone };

  template <class Sink>
  void add_object(Address object, Sink& sink) noexcept;
  template <class Sink>
  void add_slots(Address object, std::uint32_t row, Sink& sink) noexcept;
  template <class Sink>
  void add_dependents(Address key, Sink& sink) noexcept;
  template <class Sink>
  void add_reference(Address target, RefLabel label, Sink& sink) noexcept;
  bool names_fit(Address object, std::uint32_t row) noexcept;
  std::uint64_t most_of_one_object() const noexcept;

  HeapPicture& picture_;
  const MetClasses& classes_;
  std::span<const EdgeNames> edges_;
  AgeView ages_;
  std::span<Fit> fit_;  // by row: whether the names are those of its slots
  std::size_t next_dependent_ = 0;
};

}  // namespace holdfast::clr
