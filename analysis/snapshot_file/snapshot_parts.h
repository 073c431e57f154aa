// A snapshot while it is read from blocks: arrays of the announced length, filled from the front.
// Why from the front: where a file is cut, what was filled is what there is.
// Shape:  reading_bytes() is the sum of all arrays; they are committed at once and touched as they fill.
//         12 B an object (20 with addresses) + 6 B a reference + 24 B a root + catalog as in catalog.h + 20 B a class while reading.
// Zone:   offline.
// Errors: kDamaged (no detail: the caller knows the block's offset), kOutOfBudget, kOutOfMemory.
#pragma once

#include "analysis/snapshot_file/address_coding.h"
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
  GraphOrder order = GraphOrder::kObjectsFirst;
  bool roots_alike = false;
  std::uint64_t shallow_unit_bytes = kShallowUnitBytes;
  std::uint64_t report_bytes = 0;    // seen
  std::uint64_t addresses_seen = 0;  // also of those that nobody asked for
  Filling<std::uint64_t> addresses;
  AddressPosition address;

  // Counts that no snapshot can have are refused.
  static bool plausible(const SnapshotCounts& counts) noexcept;
  static std::uint64_t reading_bytes(const SnapshotCounts& counts, bool with_addresses) noexcept;
  Result<void> make(const SnapshotCounts& announced, bool with_addresses, Arena& arena) noexcept;
  bool complete() const noexcept;
};

// Adds what one block holds; every kind but Header and End.
Result<void> read_catalog_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept;
Result<void> read_graph_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept;
Result<void> read_extra_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept;
// The report's bytes in a block of it; never none.
Result<std::span<const std::byte>> report_part(const snapshot_file::Block& block) noexcept;
// The block's columns, when there are as many as its kind has.
Result<ColumnReader> columns_of(const snapshot_file::Block& block, std::size_t wanted) noexcept;

}  // namespace holdfast::analysis
