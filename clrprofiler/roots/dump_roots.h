// The GC roots of one dump with their names: threads and frames of stack roots, classes and fields of static ones.
// Why in two halves: stacks have to be looked at before the collection, names can wait until the application runs again.
// Shape:  look(), the collection, match(), name(), then describe() for each root. A static variable is one more recorded root of a kind of
//         its own, so that the recording's column is all the room there is. Methods of the catalog: the distinct functions of stack
//         roots, then one row for each static variable and one for all that are told without a name. Beside thread_stacks.h 8 B a stack root and 8 B a function.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC; look() not in a suspension.
// Errors: match(), name(): kOutOfBudget. What the runtime refuses is a note, and the roots have less to say.
#pragma once

#include "clrprofiler/heap/heap_recording.h"
#include "clrprofiler/names/class_rows.h"
#include "clrprofiler/roots/root_frames.h"
#include "clrprofiler/roots/static_owners.h"
#include "clrprofiler/roots/thread_stacks.h"
#include "common/notes.h"
#include "common/snapshot/snapshot.h"

namespace holdfast::clr {

class DumpRoots {
 public:
  // What it makes in `arena` stays there; so does what match() makes.
  // Stacks are walked for at most half of what the pause may be.
  void look(ProfilerInfo& info, std::uint64_t pause_limit_ns, Arena& arena, Notes& notes) noexcept;
  void note_cuts(Notes& notes) const noexcept { stacks_.note_cuts(notes); }
  // On all stacks, of those that are known in part by their memory.
  std::uint64_t frames_estimate() const noexcept { return stacks_.frames_estimate(); }
  std::uint64_t pause_ns() const noexcept { return stacks_.pause_ns(); }

  // Stack roots get their frames, and the recording's static variables become roots. Once, before they are resolved.
  Result<void> match(HeapRecording& recording, Arena& arena) noexcept;
  // For what name() puts into the catalog's strings.
  NameRoom room() const noexcept;
  // Fills catalog.threads and catalog.methods.
  Result<void> name(ClassReader& reader, const HeapRecording& recording, CaptureMemory& memory,
                    Catalog& catalog, Notes& notes) noexcept;
  // What tables of static variables hold that is none of the told ones becomes a root; between the graph's read() and its fill().
  Result<void> add_untold(HeapRecording& recording, Arena& scratch) const noexcept;
  // For resolve_roots() (heap/heap_graph.h).
  void describe(const RecordedRoot& recorded, RootRecord& record) const noexcept;

  std::uint32_t stack_roots() const noexcept { return static_cast<std::uint32_t>(frames_.size()); }
  std::uint32_t matched_roots() const noexcept { return matched_; }
  const OwnerFigures& owners() const noexcept { return figures_; }

 private:
  // Beside EventRootKind; the recorded root's id is the static variable's index, that of one without a name their number.
  static constexpr std::uint32_t kStaticVariable = 0x100;

  Result<void> match_stacks(HeapRecording& recording, Arena& arena) noexcept;
  Result<void> add_statics(HeapRecording& recording, Arena& arena) noexcept;
  Result<void> find_owners(ProfilerInfo& info, const HeapRecording& recording,
                           Arena& scratch) noexcept;
  void name_functions(ClassReader& reader, std::span<MethodRow> rows,
                      StringTable& strings) noexcept;
  void name_statics(ClassReader& reader, std::span<MethodRow> rows, StringTable& strings) noexcept;
  std::size_t method_rows() const noexcept { return functions_.size() + statics_.size() + 1; }

  ThreadStacks stacks_;
  std::span<std::uint64_t> functions_;  // of stack roots, sorted, distinct
  std::span<RootFrame> frames_;         // of the stack roots, in their order
  std::span<StaticSlot> statics_;
  std::span<StaticOwner> owners_;
  OwnerFigures figures_;
  std::uint32_t matched_ = 0;
  bool named_ = false;
};

}  // namespace holdfast::clr
