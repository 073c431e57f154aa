#include "analysis/snapshot_file/snapshot_reader.h"

#include <algorithm>
#include <cstring>

#include "analysis/snapshot_file/block_reader.h"
#include "analysis/snapshot_file/snapshot_cut.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"

namespace holdfast::analysis {
namespace {

using snapshot_file::BlockKind;

Error damaged_at(std::uint64_t offset) noexcept {
  return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(offset));
}

SnapshotCounts counts_of(const snapshot_file::Counts& c) noexcept {
  return {c.strings(), c.string_bytes(), c.classes(),      c.fields(),
          c.loaders(), c.threads(),      c.methods(),      c.roots(),
          c.objects(), c.references(),   c.report_bytes(), c.addresses()};
}

template <std::size_t N>
void copy_text(const flatbuffers::String& from, char (&to)[N]) noexcept {
  const std::size_t bytes = std::min<std::size_t>(from.size(), N - 1);
  std::memcpy(to, from.c_str(), bytes);
  to[bytes] = '\0';
}

void read_origin(const snapshot_file::Origin& origin, DumpRecord& record) noexcept {
  copy_text(*origin.vm_name(), record.vm.vm_name);
  copy_text(*origin.vm_version(), record.vm.vm_version);
  copy_text(*origin.vm_vendor(), record.vm.vm_vendor);
  copy_text(*origin.collector(), record.vm.collector);
  copy_text(*origin.main_name(), record.vm.main_name);
  copy_text(*origin.host(), record.host);
  copy_text(*origin.container(), record.container);
  record.vm.command_line_hash = origin.command_line_hash();
  record.pid = origin.pid();
  record.sequence = origin.sequence();
  record.started_utc_ms = origin.started_utc_ms();
  record.vm_uptime_ms = origin.vm_uptime_ms();
}

CaptureLosses losses_of(const snapshot_file::Losses& l) noexcept {
  return {l.objects_unknown_class(), l.roots_dropped(), l.references_to_unknown(),
          l.names_dropped()};
}

Snapshot snapshot_of(SnapshotParts& parts, const CaptureLosses& losses) noexcept {
  Snapshot s;
  s.shallow_unit_bytes = parts.shallow_unit_bytes;
  s.roots_alike = parts.roots_alike;
  const std::size_t objects = parts.class_of.size;
  s.catalog.strings = parts.strings;
  s.catalog.classes = parts.classes.filled();
  s.catalog.loaders = parts.loaders.filled();
  s.catalog.fields = parts.fields.filled();
  s.catalog.threads = parts.threads.filled();
  s.catalog.methods = parts.methods.filled();
  s.class_of = parts.class_of.filled();
  s.shallow_units = parts.shallow_units.first(objects);
  s.first_ref = parts.first_ref.first(objects + 1);
  s.target = parts.target.filled();
  s.label = parts.label.first(parts.target.size);
  s.roots = parts.roots.filled();
  s.losses = losses;
  return s;
}

// Kinds of later versions are skipped where their writer says that nothing is missed.
Result<void> read_block(const snapshot_file::Block& block, SnapshotParts& parts) noexcept {
  if (block.kind() < BlockKind::ClassCodes) return read_catalog_block(block, parts);
  if (block.kind() < BlockKind::End) return read_graph_block(block, parts);
  if (block.kind() <= BlockKind::MAX) return read_extra_block(block, parts);
  return block.optional() ? Result<void>() : make_error(ErrorCode::kDamaged);
}

}  // namespace

Result<void> SnapshotFile::open(const char* path, const SnapshotReading& reading) noexcept {
  platforms::MappedFile mapped;
  if (const int error = platforms::map_file(path, mapped); error != 0)
    return make_error(ErrorCode::kIo, error);
  auto done = read({mapped.data, static_cast<std::size_t>(mapped.bytes)}, reading);
  platforms::unmap_file(mapped);
  return done;
}

Result<void> SnapshotFile::read(std::span<const std::byte> file,
                                const SnapshotReading& reading) noexcept {
  Reservation reservation;
  HF_CHECK_OK(reservation.open(BlockReader::kMemoryBytes));
  HF_TRY(scratch,
         reservation.take_arena(BlockReader::kMemoryBytes, ledger_, MemoryCategory::kAnalysis));
  BlockReader blocks;
  HF_CHECK_OK(blocks.open(file, scratch));
  return read_all(blocks, reading);
}

Result<void> SnapshotFile::read_all(BlockReader& blocks, const SnapshotReading& reading) noexcept {
  HF_TRY(header, blocks.next());
  if (header == nullptr || header->kind() != BlockKind::Header || header->origin() == nullptr ||
      header->losses() == nullptr || header->counts() == nullptr) {
    return damaged_at(kSnapshotHeaderBytes);
  }
  const SnapshotCounts counts = counts_of(*header->counts());
  const std::uint64_t unit_bytes = header->shallow_unit_bytes();
  if (!SnapshotParts::plausible(counts) || !is_shallow_unit(unit_bytes))
    return damaged_at(kSnapshotHeaderBytes);
  const bool addresses = reading.addresses && counts.addresses != 0;
  const std::uint64_t bytes =
      SnapshotParts::reading_bytes(counts, addresses) + BlockReader::kMemoryBytes;
  if (bytes > reading.memory_limit_bytes)
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(bytes));
  read_origin(*header->origin(), record_);
  snapshot_.losses = losses_of(*header->losses());
  HF_CHECK_OK(reservation_.open(static_cast<std::size_t>(bytes)));
  HF_TRY(arena,
         reservation_.take_arena(static_cast<std::size_t>(bytes), ledger_, MemoryCategory::kGraph));
  arena_ = std::move(arena);
  SnapshotParts parts;
  HF_CHECK_OK(parts.make(counts, addresses, arena_));
  parts.shallow_unit_bytes = unit_bytes;
  parts.order = blocks.features().order;
  parts.roots_alike = blocks.features().roots_alike;
  HF_CHECK_OK(read_blocks(blocks, parts));
  return finish(parts, blocks.offset());
}

// Ends at the end block, or at the cut.
Result<void> SnapshotFile::read_blocks(BlockReader& blocks, SnapshotParts& parts) noexcept {
  while (true) {
    const std::uint64_t offset = blocks.offset();
    HF_TRY(block, blocks.next());
    cut_.cut = block == nullptr;
    cut_.offset = offset;
    if (cut_.cut) return {};
    if (block->kind() == BlockKind::End) {
      const bool same = block->counts() != nullptr && counts_of(*block->counts()) == parts.counts;
      return same && parts.complete() && blocks.at_end() ? Result<void>() : damaged_at(offset);
    }
    if (!read_block(*block, parts)) return damaged_at(offset);
  }
}

Result<void> SnapshotFile::finish(SnapshotParts& parts, std::uint64_t offset) noexcept {
  if (cut_.cut && parts.class_of.size == 0) return damaged_at(offset);
  if (cut_.cut) mend_cut(parts, cut_);
  if (!names_and_kinds_good(parts)) return damaged_at(offset);
  snapshot_ = snapshot_of(parts, snapshot_.losses);
  report_bytes_ = parts.report_bytes;
  if (parts.addresses.size == parts.class_of.size) addresses_ = parts.addresses.filled();
  if (!verify(snapshot_)) return damaged_at(offset);
  return {};
}

}  // namespace holdfast::analysis
