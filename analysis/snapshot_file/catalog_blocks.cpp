// Strings, classes, fields, loaders, threads, methods and roots out of their blocks.
#include "analysis/snapshot_file/row_coding.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::Block;
using snapshot_file::BlockKind;

Error damaged_catalog() noexcept { return make_error(ErrorCode::kDamaged); }

// Interned again in the same order, each string must get the id that it had: it does when it is new, valid and not too long.
Result<void> read_strings(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(columns, columns_of(block, 2));
  // The empty string is there from the start, and comes first in the file as well.
  const std::uint32_t known = block.first() == 0 ? 0 : parts.strings.size();
  if (block.first() != known || known + std::uint64_t{block.rows()} > parts.counts.strings)
    return damaged_catalog();
  for (std::uint32_t id = known; id < known + block.rows(); ++id) {
    std::uint32_t length = 0;
    columns.number(0, length);
    const auto text = columns.text(1, length);
    if (columns.bad() || (id == 0) != text.empty()) return damaged_catalog();
    if (parts.strings.intern({reinterpret_cast<const char*>(text.data()), text.size()}) !=
        StringId{id})
      return damaged_catalog();
    parts.string_bytes += text.size();
  }
  if (!columns.at_end()) return damaged_catalog();
  return {};
}

template <class Row>
Result<void> read_rows(const Block& block, Filling<Row>& rows) noexcept {
  HF_TRY(columns, columns_of(block, RowColumns<Row>::kColumns));
  if (block.first() != rows.size || !rows.room_for(block.rows())) return damaged_catalog();
  Row before = rows.size == 0 ? Row{} : rows.all[rows.size - 1];
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    Row row{};
    code_row(columns, row, before);
    if (columns.bad()) return damaged_catalog();
    rows.push(row);
    before = row;
  }
  if (!columns.at_end()) return damaged_catalog();
  return {};
}

}  // namespace

Result<void> read_catalog_block(const Block& block, SnapshotParts& parts) noexcept {
  switch (block.kind()) {
    case BlockKind::Strings:
      return read_strings(block, parts);
    case BlockKind::Classes:
      return read_rows(block, parts.classes);
    case BlockKind::Fields:
      return read_rows(block, parts.fields);
    case BlockKind::Loaders:
      return read_rows(block, parts.loaders);
    case BlockKind::Threads:
      return read_rows(block, parts.threads);
    case BlockKind::Methods:
      return read_rows(block, parts.methods);
    case BlockKind::Roots:
      return read_rows(block, parts.roots);
    default:
      return damaged_catalog();
  }
}

}  // namespace holdfast::analysis
