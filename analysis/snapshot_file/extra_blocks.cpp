// What a file may have besides the graph, out of its blocks: the report's bytes are only counted here, addresses are kept for who
// asked for them.
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::Block;
using snapshot_file::BlockKind;

Error damaged_extra() noexcept { return make_error(ErrorCode::kDamaged); }

Result<void> count_report(const Block& block, SnapshotParts& parts) noexcept {
  HF_TRY(part, report_part(block));
  if (block.first() != parts.report_bytes ||
      part.size() > parts.counts.report_bytes - block.first())
    return damaged_extra();
  parts.report_bytes += part.size();
  return {};
}

Result<void> read_addresses(const Block& block, SnapshotParts& parts) noexcept {
  const bool objects_known = parts.class_of.size == parts.counts.objects;
  if (!objects_known || block.first() != parts.addresses_seen ||
      block.rows() > parts.counts.addresses - parts.addresses_seen)
    return damaged_extra();
  parts.addresses_seen += block.rows();
  if (parts.addresses.all.empty()) return {};
  HF_TRY(columns, columns_of(block, 1));
  for (std::uint32_t i = 0; i < block.rows(); ++i) {
    const std::uint64_t units = parts.shallow_units[parts.addresses.size];
    std::uint64_t address = 0;
    code_address(columns, parts.address, address, units * parts.shallow_unit_bytes);
    parts.addresses.push(address);
  }
  if (!columns.at_end()) return damaged_extra();
  return {};
}

}  // namespace

Result<std::span<const std::byte>> report_part(const Block& block) noexcept {
  if (block.kind() != BlockKind::Report || block.columns()->size() != 1) return damaged_extra();
  const auto& bytes = *block.columns()->Get(0)->bytes();
  if (bytes.size() != block.rows() || bytes.size() == 0) return damaged_extra();
  return std::span(reinterpret_cast<const std::byte*>(bytes.data()), bytes.size());
}

Result<void> read_extra_block(const Block& block, SnapshotParts& parts) noexcept {
  switch (block.kind()) {
    case BlockKind::Report:
      return count_report(block, parts);
    case BlockKind::Addresses:
      return read_addresses(block, parts);
    default:
      return damaged_extra();
  }
}

}  // namespace holdfast::analysis
