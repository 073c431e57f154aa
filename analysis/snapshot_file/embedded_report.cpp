#include "analysis/snapshot_file/embedded_report.h"

#include <algorithm>

#include "analysis/snapshot_file/block_reader.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_parts.h"
#include "platforms/file.h"

namespace holdfast::analysis {
namespace {

Error damaged_report_at(std::uint64_t offset) noexcept {
  return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(offset));
}

}  // namespace

Result<void> EmbeddedReport::open(const char* path) noexcept {
  platforms::MappedFile mapped;
  if (const int error = platforms::map_file(path, mapped); error != 0)
    return make_error(ErrorCode::kIo, error);
  auto done = read({mapped.data, static_cast<std::size_t>(mapped.bytes)});
  platforms::unmap_file(mapped);
  return done;
}

Result<void> EmbeddedReport::read(std::span<const std::byte> file) noexcept {
  file_bytes_ = file.size();
  Reservation reservation;
  HF_CHECK_OK(reservation.open(BlockReader::kMemoryBytes));
  HF_TRY(scratch,
         reservation.take_arena(BlockReader::kMemoryBytes, ledger_, MemoryCategory::kAnalysis));
  BlockReader blocks;
  HF_CHECK_OK(blocks.open(file, scratch));
  return read_image(blocks);
}

Result<void> EmbeddedReport::read_image(BlockReader& blocks) noexcept {
  HF_TRY(header, blocks.next());
  if (header == nullptr || header->kind() != snapshot_file::BlockKind::Header ||
      header->counts() == nullptr)
    return damaged_report_at(kSnapshotHeaderBytes);
  const std::uint64_t bytes = header->counts()->report_bytes();
  if (bytes > kMaxEmbeddedReportBytes) return damaged_report_at(kSnapshotHeaderBytes);
  if (bytes == 0) return {};
  const std::size_t room = static_cast<std::size_t>(bytes) + Arena::kAlignment;
  HF_CHECK_OK(reservation_.open(room));
  HF_TRY(arena, reservation_.take_arena(room, ledger_, MemoryCategory::kReport));
  arena_ = std::move(arena);
  HF_TRY(image, arena_.make<std::byte>(static_cast<std::size_t>(bytes)));
  std::size_t filled = 0;
  while (filled < image.size()) {
    const std::uint64_t offset = blocks.offset();
    HF_TRY(block, blocks.next());
    if (block == nullptr) return damaged_report_at(offset);
    const auto part = report_part(*block);
    if (!part || block->first() != filled || part->size() > image.size() - filled)
      return damaged_report_at(offset);
    std::copy(part->begin(), part->end(), image.begin() + static_cast<std::ptrdiff_t>(filled));
    filled += part->size();
  }
  image_ = image;
  return {};
}

}  // namespace holdfast::analysis
