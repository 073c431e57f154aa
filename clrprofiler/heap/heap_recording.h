// What one walk left behind, in memory that was there before it began.
// Why a stream and not arrays: half a dozen bytes an object instead of twenty, so fewer pages are touched in the pause.
// Shape:  two streams of var-ints (var_int.h), in the order in which the runtime tells of objects, region by region.
//           node:  class index * 16 + flags; then, where its flag says so, gap, units, edges, set.
//                  gap: units between the end of the object before and this one, from 0 up; units: of kUnitBytes, rounded up; edges:
//                  their number. A flag that is not set: no gap, what is usual for the class (class_table.h).
//                  set: which of its references are not null, where some are and it is known (reference_map_stopped.h).
//           edge:  zig-zag of (target - the target before), in units.
//         A run is a stretch of nodes of growing addresses without a gap above kMaxGapUnits; it says where it begins, so it can be read
//         by itself. Two regions are never in one run, unless nothing can lie between them.
//         roots[r], dependents[d], statics[s] with their names, UTF-16, one after the other.
//         On a real heap 2 to 3 B a node and 1 to 2 B an edge; 24 B a root, 16 B a dependent handle, 40 B + name a static variable.
// Zone:   prepare(): capture, before the pause. The columns: stopped. The rest: capture, afterwards.
// Errors: prepare(): kOutOfBudget, kOutOfMemory. trouble() says why a recording is not whole: then only the counts are good.
#pragma once

#include <cstdint>

#include "clrprofiler/heap/byte_column.h"
#include "clrprofiler/heap/class_table.h"
#include "common/capture_memory.h"
#include "common/column.h"

namespace holdfast::clr {

inline constexpr std::uint64_t kUnitBytes = sizeof(void*);  // objects begin at multiples
inline constexpr std::uint64_t kMaxGapUnits = (std::uint64_t{64} << 10) / kUnitBytes;
inline constexpr std::uint64_t kMaxObjectUnits = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kMaxObjectEdges = 0xFFFFFFFEu;

constexpr std::uint64_t units_of(std::uint64_t bytes) noexcept {
  return (bytes + kUnitBytes - 1) / kUnitBytes;
}

enum NodeFlag : std::uint32_t {
  kNodeHasGap = 1,
  kNodeHasUnits = 2,
  kNodeHasEdges = 4,
  kNodeHasSet = 8,
};
inline constexpr unsigned kNodeFlagBits = 4;

struct RecordedRun {
  std::uint64_t start = 0;  // address of the first object
  std::uint64_t end = 0;    // behind the last
  std::uint64_t node_offset = 0;
  std::uint64_t nodes = 0;
  // Of the first object's first edge; found out after the pause, because edges may arrive before their nodes.
  std::uint64_t edge_offset = 0;
  std::uint64_t target_before = 0;
};

struct RecordedRoot {
  std::uint64_t object = 0;
  std::uint64_t id = 0;  // stack: FunctionID; handle: its address
  std::uint32_t flags = 0;
  std::uint32_t kind = 0;  // EventRootKind
};

struct RecordedDependent {
  std::uint64_t key = 0;
  std::uint64_t value = 0;
};

struct RecordedStatic {
  std::uint64_t slot = 0;
  std::uint64_t object = 0;
  std::uint64_t type = 0;  // the object's, not the owner's
  std::uint32_t flags = 0;
  std::uint32_t name_at = 0;  // into names
  std::uint32_t name_units = 0;
};

// Why a recording is not whole.
enum class RecordingTrouble : std::uint8_t {
  kNone,
  kNodesFull,
  kEdgesFull,
  kRunsFull,
  kRootsFull,
  kDependentsFull,
  kStaticsFull,
  kDamaged,  // a payload, an object that cannot be, an event that is missing
};
const char* recording_trouble_text(RecordingTrouble trouble) noexcept;  // "" for kNone

struct RecordingCounts {
  std::uint64_t nodes = 0;
  std::uint64_t shallow_bytes = 0;
  std::uint64_t announced_edges = 0;  // the sum of what the nodes say
  std::uint64_t edges = 0;
  std::uint64_t null_roots = 0;
  std::uint64_t weak_roots = 0;
  std::uint64_t damaged_payloads = 0;
  std::uint64_t missing_events = 0;
};

// How much each of the smaller things may take.
struct RecordingLimits {
  std::uint32_t classes = 0;
  std::uint32_t runs = 0;
  std::uint32_t dependents = 0;
  std::uint32_t statics = 0;
  std::uint32_t name_units = 0;
};
// About 5 % of memory=, and no more than any application needs.
RecordingLimits recording_limits(std::uint64_t memory_bytes) noexcept;

struct HeapRecording {
  // Nodes and edges in the row owner and place columns, roots in the root column; the rest from the work arena.
  Result<void> prepare(CaptureMemory& memory, const RecordingLimits& limits) noexcept;
  // Forgets everything but the numbers of the classes.
  void restart() noexcept;
  // Nothing is missing: every announced edge came, and nothing else.
  bool whole() const noexcept {
    return trouble == RecordingTrouble::kNone && counts.announced_edges == counts.edges;
  }

  ByteColumn nodes;
  ByteColumn edges;
  Column<RecordedRoot> roots;
  Column<RecordedRun> runs;
  Column<RecordedDependent> dependents;
  Column<RecordedStatic> statics;
  Column<char16_t> names;
  ClassTable classes;
  RecordingCounts counts;
  RecordingTrouble trouble = RecordingTrouble::kNone;
  GrantBudget arena_budget;  // of the columns from the work arena: their own size
};

}  // namespace holdfast::clr
