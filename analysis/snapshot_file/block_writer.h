// Writes the blocks of a snapshot file, one after the other: columns -> flatbuffer -> zstd -> checksum -> file.
// Why a static zstd context: inside a VM nothing may be allocated; everything here is taken from the arena at open().
// Why a zstd block for each column: each has its own distribution, and a mixture of them compresses worse.
// Shape:  columns 960 KiB + flatbuffer 1 MiB + compressed 1 MiB + zstd's context for kZstdLevel (about 0.6 MiB); no more, whatever
//         the heap's size: memory_bytes().
// Zone:   worker, child.
// Errors: kOutOfBudget, kIo (detail: errno), kExists, kInconsistent (detail: zstd's code). Nothing stays behind but on publish().
#pragma once

#include "analysis/snapshot_file/columns.h"
#include "analysis/snapshot_file/snapshot_counts.h"
#include "common/arena.h"
#include "common/atomic_file.h"
#include "common/dump_record.h"

struct ZSTD_CCtx_s;

namespace holdfast::snapshot_file {
enum class BlockKind : std::uint8_t;
}

namespace holdfast::analysis {

class BlockWriter {
 public:
  static constexpr int kZstdLevel = 1;

  Result<void> open(Arena& arena, const char* directory, const char* name,
                    FileFeatures features = {}) noexcept;
  ColumnWriter& columns() noexcept { return columns_; }
  // The columns, ours or the caller's own, as one block of `rows` rows from `first` on.
  Result<void> emit(snapshot_file::BlockKind kind, std::uint64_t first, std::size_t rows) noexcept {
    return emit(columns_, kind, first, rows);
  }
  Result<void> emit(const ColumnWriter& columns, snapshot_file::BlockKind kind, std::uint64_t first,
                    std::size_t rows) noexcept;
  Result<void> emit_header(const DumpRecord& record, const SnapshotCounts& counts,
                           const CaptureLosses& losses, std::uint64_t shallow_unit_bytes) noexcept;
  Result<void> emit_end(const SnapshotCounts& counts) noexcept;
  Result<void> publish() noexcept { return file_.publish(); }
  void abandon() noexcept { file_.abandon(); }

  // What open() takes of its arena.
  static std::size_t memory_bytes() noexcept;

  std::uint64_t file_bytes() const noexcept { return file_bytes_; }
  std::uint64_t raw_bytes() const noexcept { return raw_bytes_; }
  std::uint32_t blocks() const noexcept { return blocks_; }

 private:
  Result<std::size_t> compress(std::span<const std::byte> raw) noexcept;
  Result<void> store(std::span<const std::byte> raw) noexcept;

  AtomicFile file_;
  ColumnWriter columns_{std::span<std::byte>{}};
  std::span<std::byte> builder_memory_;
  std::span<std::byte> stored_memory_;  // block header, then the compressed bytes
  ZSTD_CCtx_s* zstd_ = nullptr;
  std::uint64_t file_bytes_ = 0;
  std::uint64_t raw_bytes_ = 0;
  std::uint32_t blocks_ = 0;
};

}  // namespace holdfast::analysis
