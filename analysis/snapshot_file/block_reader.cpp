#include "analysis/snapshot_file/block_reader.h"

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "analysis/snapshot_file/snapshot_file_generated.h"

namespace holdfast::analysis {
namespace {

constexpr flatbuffers::uoffset_t kMaxDepth = 4;  // Block > columns
constexpr flatbuffers::uoffset_t kMaxTables = 64;

bool well_formed(std::span<const std::byte> raw) noexcept {
  constexpr std::size_t kSmallest = 16;
  if (raw.size() < kSmallest) return false;
  flatbuffers::Verifier::Options options;
  options.max_depth = kMaxDepth;
  options.max_tables = kMaxTables;
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size(),
                                 options);
  return snapshot_file::VerifyBlockBuffer(verifier);
}

}  // namespace

Result<void> BlockReader::open(std::span<const std::byte> file, Arena& arena) noexcept {
  HF_TRY(features, read_file_header(file));
  HF_TRY(raw, arena.make<std::byte>(kMaxRawBytes + kReadAhead));
  HF_TRY(workspace, arena.make<std::byte>(ZSTD_estimateDCtxSize()));
  zstd_ = ZSTD_initStaticDCtx(workspace.data(), workspace.size());
  if (zstd_ == nullptr) return make_error(ErrorCode::kInconsistent);
  raw_ = raw;
  file_ = file;
  features_ = features;
  offset_ = kSnapshotHeaderBytes;
  number_ = 0;
  return {};
}

Result<const snapshot_file::Block*> BlockReader::next() noexcept {
  const std::span<const std::byte> rest = file_.subspan(static_cast<std::size_t>(offset_));
  if (rest.size() < kBlockHeaderBytes) return static_cast<const snapshot_file::Block*>(nullptr);
  const auto header_bytes = rest.first<kBlockHeaderBytes>();
  const Result<BlockHeader> header = read_block_header(header_bytes);
  if (!header) return damaged();
  if (rest.size() - kBlockHeaderBytes < header->stored_bytes)
    return static_cast<const snapshot_file::Block*>(nullptr);
  const auto stored = rest.subspan(kBlockHeaderBytes, header->stored_bytes);
  if (!block_checksum_right(header_bytes, stored) || header->number != number_) return damaged();
  HF_TRY(block, open_block(*header, stored));
  offset_ += kBlockHeaderBytes + stored.size();
  ++number_;
  return block;
}

Result<const snapshot_file::Block*> BlockReader::open_block(
    const BlockHeader& header, std::span<const std::byte> stored) noexcept {
  const std::size_t bytes =
      ZSTD_decompressDCtx(zstd_, raw_.data(), header.raw_bytes, stored.data(), stored.size());
  if (ZSTD_isError(bytes) != 0 || bytes != header.raw_bytes) return damaged();
  if (!well_formed(raw_.first(bytes))) return damaged();
  const snapshot_file::Block* block = snapshot_file::GetBlock(raw_.data());
  if (block->columns()->size() > kMaxColumns) return damaged();
  return block;
}

}  // namespace holdfast::analysis
