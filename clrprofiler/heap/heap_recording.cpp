#include "clrprofiler/heap/heap_recording.h"

#include <algorithm>

namespace holdfast::clr {

namespace {

template <class T>
Result<Column<T>> arena_column(Arena& arena, std::uint32_t count, GrantBudget& budget) noexcept {
  HF_TRY(memory, arena.make<T>(count));
  budget.left_bytes += memory.size_bytes();
  return Column<T>(memory.data(), memory.size(), budget);
}

Result<ByteColumn> byte_column(CaptureMemory& memory, CaptureColumn index) noexcept {
  HF_TRY(start, memory.commit_column(index));
  return ByteColumn(reinterpret_cast<std::uint8_t*>(start), memory.column_bytes(index),
                    memory.budget());
}

std::uint32_t share(std::uint64_t memory_bytes, std::uint64_t divisor, std::uint32_t least,
                    std::uint32_t most) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(memory_bytes / divisor, least, most));
}

}  // namespace

const char* recording_trouble_text(RecordingTrouble trouble) noexcept {
  switch (trouble) {
    case RecordingTrouble::kNone:
      return "";
    case RecordingTrouble::kNodesFull:
      return "there was no room for all objects";
    case RecordingTrouble::kEdgesFull:
      return "there was no room for all references";
    case RecordingTrouble::kRunsFull:
      return "the heap lies in too many pieces";
    case RecordingTrouble::kRootsFull:
      return "there was no room for all GC roots";
    case RecordingTrouble::kDependentsFull:
      return "there was no room for all dependent handles";
    case RecordingTrouble::kStaticsFull:
      return "there was no room for all static variables";
    default:
      return "the runtime's heap events contradict themselves";
  }
}

RecordingLimits recording_limits(std::uint64_t memory_bytes) noexcept {
  return RecordingLimits{
      share(memory_bytes, 4096, 4096, 1u << 17), share(memory_bytes, 6144, 2048, 1u << 19),
      share(memory_bytes, 1024, 4096, 1u << 22), share(memory_bytes, 8192, 2048, 1u << 17),
      share(memory_bytes, 512, 1u << 15, 1u << 21)};
}

Result<void> HeapRecording::prepare(CaptureMemory& memory, const RecordingLimits& limits) noexcept {
  Arena& arena = memory.work_arena();
  arena_budget = {};
  HF_TRY(node_column, byte_column(memory, kRowOwnerColumn));
  HF_TRY(edge_column, byte_column(memory, kPlaceColumn));
  HF_TRY(root_start, memory.commit_column(kRootColumn));
  HF_TRY(class_table, ClassTable::make(arena, limits.classes));
  HF_TRY(run_column, arena_column<RecordedRun>(arena, limits.runs, arena_budget));
  HF_TRY(dependent_column, arena_column<RecordedDependent>(arena, limits.dependents, arena_budget));
  HF_TRY(static_column, arena_column<RecordedStatic>(arena, limits.statics, arena_budget));
  HF_TRY(name_column, arena_column<char16_t>(arena, limits.name_units, arena_budget));
  nodes = node_column;
  edges = edge_column;
  roots = Column<RecordedRoot>(reinterpret_cast<RecordedRoot*>(root_start),
                               memory.column_bytes(kRootColumn) / sizeof(RecordedRoot),
                               memory.budget());
  classes = class_table;
  runs = run_column;
  dependents = dependent_column;
  statics = static_column;
  names = name_column;
  counts = {};
  trouble = RecordingTrouble::kNone;
  return {};
}

}  // namespace holdfast::clr
