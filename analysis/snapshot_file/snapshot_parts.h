// A snapshot while it is read from blocks: arrays of the announced length, filled from the front.
// Why from the front: where a file is cut, what was filled is what there is.
// Shape:  reading_bytes() is the sum of all arrays; they are committed at once and touched as they fill.
//         12 B an object + 6 B a reference + 24 B a root + catalog as in catalog.h + 20 B a class while reading.
// Zone:   offline.
// Errors: kDamaged (no detail: the caller knows the block's offset), kOutOfBudget, kOutOfMemory.
#pragma once

#include "analysis/snapshot_file/graph_coding.h"
#include "analysis/snapshot_file/snapshot_counts.h"
#include "common/arena.h"
#include "common/result.h"

namespace holdfast::snapshot_file {
struct Block;
}

namespace holdfast::analysis {

// An array that is filled from the front.
template <class T>
struct Filling {
  std::span<T> all;
  std::size_t size = 0;
  bool room_for(std::size_t rows) const noexcept { return rows <= all.size() - size; }
  void push(T value) noexcept { all[size++] = value; }
  std::span<T> filled() const noexcept { return all.first(size); }
};

struct SnapshotParts {
  SnapshotCounts counts;
  StringTable strings;
  std::uint64_t string_bytes = 0;
  Filling<ClassRow> classes;
  Filling<StringId> fields;
  Filling<LoaderRow> loaders;
  Filling<ThreadRow> threads;
  Filling<MethodRow> methods;
  Filling<RootRecord> roots;
  Filling<std::uint32_t> class_of_code;    // [classes + 1]
  std::span<std::uint32_t> code_of_class;  // [classes + 1]
  std::span<ClassHabit> habits;            // [classes + 1] by code
  Filling<ClassId> class_of;
  std::span<std::uint32_t> shallow_units;
  std::span<std::uint32_t> first_ref;  // [objects + 1]; first_ref[class_of.size] is right
  Filling<ObjectId> target;
  std::span<RefLabel> label;
  std::uint32_t row = 0;  // the object whose references come next

  // Counts that no snapshot can have are refused.
  static bool plausible(const SnapshotCounts& counts) noexcept;
  static std::uint64_t reading_bytes(const SnapshotCounts& counts) noexcept;
  Result<void> make(const SnapshotCounts& announced, Arena& arena) noexcept;
  bool complete() const noexcept;
};

// Adds what one block holds; every kind but Header and End.
Result<void> read_catalog_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept;
Result<void> read_graph_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept;
// The block's columns, when there are as many as its kind has.
Result<ColumnReader> columns_of(const snapshot_file::Block& block, std::size_t wanted) noexcept;

}  // namespace holdfast::analysis
