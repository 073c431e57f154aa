#include "analysis/snapshot_file/block_writer.h"

#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_DEPRECATE_WARNINGS  // later versions: of the calls that need no buffers of zstd's own
#include <zstd.h>
#include <zstd_errors.h>

#include <optional>

#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "common/one_block_allocator.h"
#include "common/version.h"

namespace holdfast::analysis {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<snapshot_file::Counts> write_counts(FlatBufferBuilder& builder,
                                           const SnapshotCounts& c) noexcept {
  return snapshot_file::CreateCounts(builder, c.strings, c.string_bytes, c.classes, c.fields,
                                     c.loaders, c.threads, c.methods, c.roots, c.objects,
                                     c.references, c.report_bytes, c.addresses);
}

template <std::size_t N>
Offset<flatbuffers::String> text(FlatBufferBuilder& builder, const char (&chars)[N]) noexcept {
  std::size_t length = 0;
  while (length < N && chars[length] != '\0') ++length;
  return builder.CreateString(chars, length);
}

Offset<snapshot_file::Origin> write_origin(FlatBufferBuilder& b, const DumpRecord& r) noexcept {
  const auto tool = b.CreateString(kVersion.data(), kVersion.size());
  const auto vm_name = text(b, r.vm.vm_name);
  const auto vm_version = text(b, r.vm.vm_version);
  const auto vm_vendor = text(b, r.vm.vm_vendor);
  const auto collector = text(b, r.vm.collector);
  const auto main_name = text(b, r.vm.main_name);
  const auto host = text(b, r.host);
  const auto container = text(b, r.container);
  return snapshot_file::CreateOrigin(b, tool, vm_name, vm_version, vm_vendor, collector, main_name,
                                     host, container, r.pid, r.sequence, r.vm.command_line_hash,
                                     r.started_utc_ms, r.vm_uptime_ms);
}

Offset<flatbuffers::Vector<Offset<snapshot_file::Column>>> write_columns(
    FlatBufferBuilder& builder, const ColumnWriter& columns) noexcept {
  Offset<snapshot_file::Column> offsets[kMaxColumns];
  for (std::size_t c = 0; c < columns.columns(); ++c) {
    const auto bytes = columns.column(c);
    offsets[c] = snapshot_file::CreateColumn(
        builder,
        builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
  }
  return builder.CreateVector(offsets, columns.columns());
}

// A builder that never outgrows its memory: columns take at most kMaxColumnBytes, a header's texts 8 * kMaxFactText, and
// kMaxRawBytes leaves 64 KiB for the tables around them.
static_assert(kMaxColumnBytes + (std::size_t{64} << 10) <= kMaxRawBytes &&
              8 * kMaxFactText < (60u << 10));

std::span<const std::byte> finished(FlatBufferBuilder& builder,
                                    Offset<snapshot_file::Block> root) noexcept {
  snapshot_file::FinishBlockBuffer(builder, root);
  return {reinterpret_cast<const std::byte*>(builder.GetBufferPointer()), builder.GetSize()};
}

// Columns with less in front of them are not worth a zstd block of their own.
constexpr std::size_t kLeastSegment = 1024;

std::size_t column_count(std::span<const std::byte> raw) noexcept {
  return snapshot_file::GetBlock(raw.data())->columns()->size();
}

std::size_t column_start(std::span<const std::byte> raw, std::size_t c) noexcept {
  const auto* column =
      snapshot_file::GetBlock(raw.data())->columns()->Get(static_cast<flatbuffers::uoffset_t>(c));
  return static_cast<std::size_t>(reinterpret_cast<const std::byte*>(column->bytes()->data()) -
                                  raw.data());
}

}  // namespace

std::size_t BlockWriter::memory_bytes() noexcept {
  constexpr std::size_t kArrays = 4;
  return kMaxColumnBytes + kMaxRawBytes + kBlockHeaderBytes + ZSTD_compressBound(kMaxRawBytes) +
         ZSTD_estimateCCtxSize(kZstdLevel) + kArrays * Arena::kAlignment;
}

Result<void> BlockWriter::open(Arena& arena, const char* directory, const char* name,
                               FileFeatures features) noexcept {
  HF_TRY(column_memory, arena.make<std::byte>(kMaxColumnBytes));
  HF_TRY(builder_memory, arena.make<std::byte>(kMaxRawBytes));
  HF_TRY(stored_memory,
         arena.make<std::byte>(kBlockHeaderBytes + ZSTD_compressBound(kMaxRawBytes)));
  HF_TRY(workspace, arena.make<std::byte>(ZSTD_estimateCCtxSize(kZstdLevel)));
  columns_ = ColumnWriter(column_memory);
  builder_memory_ = builder_memory;
  stored_memory_ = stored_memory;
  zstd_ = ZSTD_initStaticCCtx(workspace.data(), workspace.size());
  if (zstd_ == nullptr) return make_error(ErrorCode::kInconsistent);
  HF_CHECK_OK(file_.open(directory, name));
  std::byte header[kSnapshotHeaderBytes];
  write_file_header(features, header);
  file_bytes_ = sizeof header;
  return file_.write(header, sizeof header);
}

Result<void> BlockWriter::emit(const ColumnWriter& from, snapshot_file::BlockKind kind,
                               std::uint64_t first, std::size_t rows) noexcept {
  OneBlockAllocator allocator(builder_memory_);
  FlatBufferBuilder builder(builder_memory_.size(), &allocator);
  const auto columns = write_columns(builder, from);
  const bool optional = kind > snapshot_file::BlockKind::End;  // nothing of the graph
  return store(finished(
      builder, snapshot_file::CreateBlock(builder, kind, first, static_cast<std::uint32_t>(rows),
                                          columns, 0, 0, 0, optional)));
}

Result<void> BlockWriter::emit_header(const DumpRecord& record, const SnapshotCounts& counts,
                                      const CaptureLosses& l,
                                      std::uint64_t shallow_unit_bytes) noexcept {
  OneBlockAllocator allocator(builder_memory_);
  FlatBufferBuilder builder(builder_memory_.size(), &allocator);
  const auto columns = write_columns(builder, ColumnWriter(std::span<std::byte>{}));
  const auto origin = write_origin(builder, record);
  const auto losses = snapshot_file::CreateLosses(builder, l.objects_unknown_class, l.roots_dropped,
                                                  l.references_to_unknown, l.names_dropped);
  return store(finished(
      builder, snapshot_file::CreateBlock(builder, snapshot_file::BlockKind::Header, 0, 0, columns,
                                          origin, losses, write_counts(builder, counts), false,
                                          static_cast<std::uint8_t>(shallow_unit_bytes))));
}

Result<void> BlockWriter::emit_end(const SnapshotCounts& counts) noexcept {
  OneBlockAllocator allocator(builder_memory_);
  FlatBufferBuilder builder(builder_memory_.size(), &allocator);
  const auto columns = write_columns(builder, ColumnWriter(std::span<std::byte>{}));
  return store(
      finished(builder, snapshot_file::CreateBlock(builder, snapshot_file::BlockKind::End, 0, 0,
                                                   columns, 0, 0, write_counts(builder, counts))));
}

// One frame with a zstd block for each column (a column of more than 128 KiB has several).
Result<std::size_t> BlockWriter::compress(std::span<const std::byte> raw) noexcept {
  std::byte* out = stored_memory_.data() + kBlockHeaderBytes;
  std::byte* const end = stored_memory_.data() + stored_memory_.size();
  std::size_t done = ZSTD_compressBegin(zstd_, kZstdLevel);
  std::size_t from = 0;
  // The builder works from the back: the last column stands first, behind the tables.
  for (std::size_t c = column_count(raw); c-- > 1 && ZSTD_isError(done) == 0;) {
    const std::size_t to = column_start(raw, c - 1);
    if (to - from < kLeastSegment) continue;
    done = ZSTD_compressContinue(zstd_, out, static_cast<std::size_t>(end - out), raw.data() + from,
                                 to - from);
    if (ZSTD_isError(done) == 0) out += done;
    from = to;
  }
  if (ZSTD_isError(done) == 0)
    done = ZSTD_compressEnd(zstd_, out, static_cast<std::size_t>(end - out), raw.data() + from,
                            raw.size() - from);
  if (ZSTD_isError(done) != 0) return make_error(ErrorCode::kInconsistent, ZSTD_getErrorCode(done));
  return static_cast<std::size_t>(out - stored_memory_.data()) + done - kBlockHeaderBytes;
}

Result<void> BlockWriter::store(std::span<const std::byte> raw) noexcept {
  HF_TRY(bytes, compress(raw));
  const std::byte* stored = stored_memory_.data() + kBlockHeaderBytes;
  const BlockHeader header{static_cast<std::uint32_t>(bytes),
                           static_cast<std::uint32_t>(raw.size()), blocks_};
  write_block_header(header, {stored, bytes}, stored_memory_.first<kBlockHeaderBytes>());
  ++blocks_;
  raw_bytes_ += raw.size();
  file_bytes_ += kBlockHeaderBytes + bytes;
  return file_.write(stored_memory_.data(), kBlockHeaderBytes + bytes);
}

}  // namespace holdfast::analysis
