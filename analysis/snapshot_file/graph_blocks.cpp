// Class codes, objects and references out of their blocks.
#include "analysis/snapshot_file/reference_coding.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::Block;
using snapshot_file::BlockKind;

Error damaged_graph() noexcept { return make_error(ErrorCode::kDamaged); }

Result<void> read_class_codes(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(columns, columns_of(block, 1));
  Filling<std::uint32_t>& codes = parts.class_of_code;
  if (block.first() != codes.size || !codes.room_for(block.rows())) return damaged_graph();
  std::uint32_t before = codes.size == 0 ? 0 : codes.all[codes.size - 1];
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    std::uint32_t class_index = 0;
    columns.delta(0, class_index, before);
    if (columns.bad() || class_index > parts.counts.classes) return damaged_graph();
    parts.code_of_class[class_index] = static_cast<std::uint32_t>(codes.size);
    codes.push(class_index);
    before = class_index;
  }
  if (!columns.at_end()) return damaged_graph();
  return {};
}

Result<void> read_objects(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(columns, columns_of(block, kObjectColumns));
  const bool codes_known = parts.class_of_code.size == parts.class_of_code.all.size();
  if (!codes_known || block.first() != parts.class_of.size ||
      !parts.class_of.room_for(block.rows()))
    return damaged_graph();
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    std::uint32_t code = 0;
    std::uint32_t units = 0;
    std::uint32_t degree = 0;
    if (!code_object(columns, parts.habits, code, units, degree) || columns.bad())
      return damaged_graph();
    const std::size_t v = parts.class_of.size;
    if (degree > parts.counts.references - parts.first_ref[v]) return damaged_graph();
    const std::uint32_t class_index = parts.class_of_code.all[code];
    parts.class_of.push(class_index == parts.counts.classes ? ClassId{} : ClassId{class_index});
    parts.shallow_units[v] = units;
    parts.first_ref[v + 1] = parts.first_ref[v] + degree;
  }
  if (!columns.at_end()) return damaged_graph();
  return {};
}

ClassHabit& habit_of(SnapshotParts& parts, std::uint32_t object) noexcept {
  const ClassId c = parts.class_of.all[object];
  const std::size_t unknown = parts.code_of_class.size() - 1;
  return parts.habits[parts.code_of_class[c.valid() ? c.value : unknown]];
}

// References as 1.0 wrote them, with the calls of a ReferenceDecoder.
class DeltaReferences {
 public:
  explicit DeltaReferences(ColumnReader& columns) noexcept : columns_(columns) {}
  std::uint64_t target(std::uint32_t expected) noexcept {
    std::uint32_t value = 0;
    columns_.delta(0, value, expected);
    return value;
  }
  std::uint32_t label(std::uint32_t expected) noexcept {
    std::uint32_t value = 0;
    columns_.delta(1, value, expected);
    return value;
  }

 private:
  ColumnReader& columns_;
};

// References of one row from the next one on, up to `end`.
template <class References>
bool read_part_of_row(References& references, SnapshotParts& parts, std::size_t end) noexcept {
  ClassHabit& habit = habit_of(parts, parts.row);
  RowPosition position = start_row(parts.row, habit);
  const bool starts = parts.target.size == parts.first_ref[parts.row];
  const std::size_t first = parts.target.size;
  ObjectId* const targets = parts.target.all.data();
  RefLabel* const labels = parts.label.data();
  const std::uint64_t objects = parts.counts.objects;
  for (std::size_t i = first; i < end; ++i) {
    const std::uint64_t target = references.target(position.target);
    const std::uint32_t label = references.label(position.label);
    if (target >= objects || label > 0xFFFFu) return false;
    position = {static_cast<std::uint32_t>(target), label + 1};
    targets[i] = ObjectId{static_cast<std::uint32_t>(target)};
    labels[i] = RefLabel{static_cast<std::uint16_t>(label)};
  }
  if (starts) habit.first_label = labels[first].bits;
  parts.target.size = end;
  return true;
}

template <class References>
bool read_rows(References& references, SnapshotParts& parts, std::size_t end) noexcept {
  while (parts.target.size < end) {
    while (parts.first_ref[parts.row + 1] <= parts.target.size) ++parts.row;
    if (!read_part_of_row(references, parts,
                          std::min<std::size_t>(end, parts.first_ref[parts.row + 1])))
      return false;
  }
  return true;
}

bool read_delta_references(ColumnReader& columns, SnapshotParts& parts, std::size_t end) noexcept {
  // Each row takes a byte at least; so what is done is bounded by what the file has.
  if (columns.rest(0).size() < end - parts.target.size) return false;
  DeltaReferences references(columns);
  return read_rows(references, parts, end) && columns.at_end();
}

bool read_packed_references(const ColumnReader& columns, SnapshotParts& parts,
                            std::size_t end) noexcept {
  ReferenceDecoder references(columns, FarShape::of(parts.counts.objects));
  return references.lengths_right(end - parts.target.size) && read_rows(references, parts, end) &&
         references.labels_right();
}

Result<void> read_references(const Block& block, SnapshotParts& parts) noexcept {
  const bool packed = block.columns()->size() == kPackedReferenceColumns;
  HF_TRY(columns, columns_of(block, packed ? kPackedReferenceColumns : kReferenceColumns));
  const bool in_order =
      parts.order == GraphOrder::kMixed || parts.class_of.size == parts.counts.objects;
  if (!in_order || block.first() != parts.target.size || !parts.target.room_for(block.rows()))
    return damaged_graph();
  const std::size_t end = parts.target.size + block.rows();
  if (end > parts.first_ref[parts.class_of.size]) return damaged_graph();
  const bool good = packed ? read_packed_references(columns, parts, end)
                           : read_delta_references(columns, parts, end);
  return good ? Result<void>() : damaged_graph();
}

}  // namespace

Result<void> read_graph_block(const Block& block, SnapshotParts& parts) noexcept {
  switch (block.kind()) {
    case BlockKind::ClassCodes:
      return read_class_codes(block, parts);
    case BlockKind::Objects:
      return read_objects(block, parts);
    case BlockKind::References:
      return read_references(block, parts);
    default:
      return damaged_graph();
  }
}

}  // namespace holdfast::analysis
