// Reads the blocks of a snapshot file one after the other, each checked before anything in it is looked at.
// Why three answers: a block; the place where the file was cut (whatever was read before it is good); or damage.
// Shape:  the file is mapped; 1 MiB for the uncompressed block and zstd's context come from the arena.
// Zone:   offline (worker once snapshots are checked after writing).
// Errors: kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset in the file), kOutOfBudget.
#pragma once

#include "analysis/snapshot_file/block_format.h"
#include "common/arena.h"

struct ZSTD_DCtx_s;

namespace holdfast::snapshot_file {
struct Block;
}

namespace holdfast::analysis {

class BlockReader {
 public:
  // Bytes behind a block that may be looked at.
  static constexpr std::size_t kReadAhead = 64;
  // What open() takes of its arena: the uncompressed block, zstd's context, rounding to pages.
  static constexpr std::size_t kMemoryBytes = kMaxRawBytes + (std::size_t{512} << 10);

  Result<void> open(std::span<const std::byte> file, Arena& arena) noexcept;
  // The next block, valid until the next call; nullptr where the file ends (offset() says where).
  Result<const snapshot_file::Block*> next() noexcept;
  std::uint64_t offset() const noexcept { return offset_; }
  bool at_end() const noexcept { return offset_ == file_.size(); }
  const FileFeatures& features() const noexcept { return features_; }

 private:
  Result<const snapshot_file::Block*> open_block(const BlockHeader& header,
                                                 std::span<const std::byte> stored) noexcept;
  Error damaged() const noexcept {
    return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(offset_));
  }

  std::span<const std::byte> file_;
  std::span<std::byte> raw_;
  ZSTD_DCtx_s* zstd_ = nullptr;
  std::uint64_t offset_ = 0;
  std::uint32_t number_ = 0;
  FileFeatures features_;
};

}  // namespace holdfast::analysis
