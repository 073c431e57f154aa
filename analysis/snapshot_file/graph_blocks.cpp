// Class codes, objects and references out of their blocks.
#include "analysis/snapshot_file/reference_coding.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::Block;
using snapshot_file::BlockKind;

Error damaged() noexcept { return make_error(ErrorCode::kDamaged); }

Result<void> read_class_codes(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(columns, columns_of(block, 1));
  Filling<std::uint32_t>& codes = parts.class_of_code;
  if (block.first() != codes.size || !codes.room_for(block.rows())) return damaged();
  std::uint32_t before = codes.size == 0 ? 0 : codes.all[codes.size - 1];
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    std::uint32_t class_index = 0;
    columns.delta(0, class_index, before);
    if (columns.bad() || class_index > parts.counts.classes) return damaged();
    parts.code_of_class[class_index] = static_cast<std::uint32_t>(codes.size);
    codes.push(class_index);
    before = class_index;
  }
  if (!columns.at_end()) return damaged();
  return {};
}

Result<void> read_objects(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(columns, columns_of(block, kObjectColumns));
  const bool codes_known = parts.class_of_code.size == parts.class_of_code.all.size();
  if (!codes_known || block.first() != parts.class_of.size ||
      !parts.class_of.room_for(block.rows()))
    return damaged();
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    std::uint32_t code = 0;
    std::uint32_t units = 0;
    std::uint32_t degree = 0;
    if (!code_object(columns, parts.habits, code, units, degree) || columns.bad()) return damaged();
    const std::size_t v = parts.class_of.size;
    if (degree > parts.counts.references - parts.first_ref[v]) return damaged();
    const std::uint32_t class_index = parts.class_of_code.all[code];
    parts.class_of.push(class_index == parts.counts.classes ? ClassId{} : ClassId{class_index});
    parts.shallow_units[v] = units;
    parts.first_ref[v + 1] = parts.first_ref[v] + degree;
  }
  if (!columns.at_end()) return damaged();
  return {};
}

ClassHabit& habit_of(SnapshotParts& parts, std::uint32_t object) noexcept {
  const ClassId c = parts.class_of.all[object];
  return parts.habits[parts.code_of_class[c.valid() ? c.value : parts.counts.classes]];
}

// The two codings of a block's references: read(position, target, label).
class DeltaReferences {
 public:
  explicit DeltaReferences(ColumnReader& columns) noexcept : columns_(columns) {}
  void read(const RowPosition& position, std::uint64_t& target, std::uint32_t& label) noexcept {
    std::uint32_t narrow = 0;
    code_reference(columns_, position, narrow, label);
    target = narrow;
  }

 private:
  ColumnReader& columns_;
};

class PackedReferences {
 public:
  PackedReferences(ColumnReader& columns, std::uint64_t objects) noexcept
      : columns_(columns), shape_(FarShape::of(objects)) {
    labels_.start(columns_);
  }
  void read(const RowPosition& position, std::uint64_t& target, std::uint32_t& label) noexcept {
    code_target(columns_, shape_, position.target, target);
    labels_.code(columns_, label, position.label);
  }

 private:
  ColumnReader& columns_;
  FarShape shape_;
  LabelRun labels_;
};

// References of one row from the next one on, up to `end`.
template <class References>
bool read_part_of_row(References& references, SnapshotParts& parts, std::uint64_t end) noexcept {
  ClassHabit& habit = habit_of(parts, parts.row);
  RowPosition position = start_row(parts.row, habit);
  const bool starts = parts.target.size == parts.first_ref[parts.row];
  const std::uint64_t first = parts.target.size;
  for (std::uint64_t i = first; i < end; ++i) {
    std::uint64_t target = 0;
    std::uint32_t label = 0;
    references.read(position, target, label);
    if (target >= parts.counts.objects || label > 0xFFFFu) return false;
    if (starts && i == first) habit.first_label = label;
    position = {static_cast<std::uint32_t>(target), label + 1};
    parts.label[i] = RefLabel{static_cast<std::uint16_t>(label)};
    parts.target.push(ObjectId{static_cast<std::uint32_t>(target)});
  }
  return true;
}

template <class References>
bool read_rows(References references, SnapshotParts& parts, std::uint64_t end) noexcept {
  while (parts.target.size < end) {
    while (parts.first_ref[parts.row + 1] <= parts.target.size) ++parts.row;
    if (!read_part_of_row(references, parts,
                          std::min<std::uint64_t>(end, parts.first_ref[parts.row + 1])))
      return false;
  }
  return true;
}

Result<void> read_references(const Block& block, SnapshotParts& parts) noexcept {
  const bool packed = block.columns()->size() == kPackedReferenceColumns;
  HF_TRY(columns, columns_of(block, packed ? kPackedReferenceColumns : kReferenceColumns));
  const bool objects_known = parts.class_of.size == parts.counts.objects;
  if (!objects_known || block.first() != parts.target.size || !parts.target.room_for(block.rows()))
    return damaged();
  const std::uint64_t end = parts.target.size + std::uint64_t{block.rows()};
  // Each row takes a byte of the first column at least; so work is bounded by what the file has.
  if (end > parts.first_ref[parts.class_of.size] || columns.bytes_left(0) < block.rows())
    return damaged();
  const bool good = packed
                        ? read_rows(PackedReferences(columns, parts.counts.objects), parts, end)
                        : read_rows(DeltaReferences(columns), parts, end);
  if (!good || !columns.at_end()) return damaged();
  return {};
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
      return damaged();
  }
}

}  // namespace holdfast::analysis
