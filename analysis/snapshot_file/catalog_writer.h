// Writes what stands before the graph in a snapshot file: an embedded report, names and tables, GC roots.
// Shape:  O(catalog + roots), block by block through the writer's own columns.
// Zone:   worker, child.
// Errors: as block_writer.h, kCancelled.
#pragma once

#include "analysis/snapshot_file/block_writer.h"
#include "common/cancel.h"

namespace holdfast::analysis {

// Of GC roots: those that readers before 1.3 do not know.
bool has_later_kinds(std::span<const RootRecord> roots) noexcept;
Result<void> write_embedded_report(std::span<const std::byte> image, BlockWriter& out) noexcept;
Result<void> write_catalog_blocks(const Catalog& catalog, std::span<const RootRecord> roots,
                                  const CancelToken& cancel, BlockWriter& out) noexcept;

}  // namespace holdfast::analysis
