#include "analysis/snapshot_file/block_format.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "analysis/checksum.h"

namespace holdfast::analysis {
namespace {

static_assert(std::endian::native == std::endian::little,
              "both file formats are written as the machine has them");

constexpr std::size_t kBlockChecksumOffset = 16;

template <class T>
T load(const std::byte* at) noexcept {
  T value{};
  std::memcpy(&value, at, sizeof value);
  return value;
}

template <class T>
void store(std::byte* at, T value) noexcept {
  std::memcpy(at, &value, sizeof value);
}

}  // namespace

void write_file_header(FileFeatures features,
                       std::span<std::byte, kSnapshotHeaderBytes> out) noexcept {
  std::uint16_t minor = 1;
  std::uint32_t flags = kNeedsMinor1;
  if (features.order == GraphOrder::kMixed) {
    minor = 2;
    flags |= kNeedsMinor2;
  }
  if (features.later_root_kinds) {
    minor = 3;
    flags |= kNeedsMinor3;
  }
  if (features.roots_alike) {
    minor = 4;
    flags |= kNeedsMinor4;
  }
  std::memcpy(out.data(), kSnapshotMagic.data(), kSnapshotMagic.size());
  store(out.data() + 8, kSnapshotMajor);
  store(out.data() + 10, minor);
  store(out.data() + 12, flags);
}

Result<FileFeatures> read_file_header(std::span<const std::byte> file) noexcept {
  constexpr std::size_t kNameBytes = 4;
  const std::size_t seen = std::min(file.size(), kSnapshotMagic.size());
  std::size_t same = 0;
  while (same < seen && std::to_integer<unsigned char>(file[same]) == kSnapshotMagic[same]) ++same;
  if (same < std::min(seen, kNameBytes)) return make_error(ErrorCode::kNotOurs);
  if (same < kSnapshotMagic.size() || file.size() < kSnapshotHeaderBytes) {
    return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(same));
  }
  const auto major = load<std::uint16_t>(file.data() + 8);
  const auto flags = load<std::uint32_t>(file.data() + 12);
  constexpr std::uint32_t kKnown = kNeedsMinor1 | kNeedsMinor2 | kNeedsMinor3 | kNeedsMinor4;
  if (major > kSnapshotMajor || (flags & ~kKnown) != 0) {
    return make_error(ErrorCode::kNewerVersion, major);
  }
  if (major < kSnapshotMajor) return make_error(ErrorCode::kDamaged, 8);
  const auto minor = load<std::uint16_t>(file.data() + 10);
  const bool mixed = (flags & kNeedsMinor2) != 0;
  const bool first_minor = (flags & kNeedsMinor1) == 0;
  const bool later_root_kinds = (flags & kNeedsMinor3) != 0;
  const bool roots_alike = (flags & kNeedsMinor4) != 0;
  if (first_minor != (minor == 0) || (mixed && minor < 2) || (later_root_kinds && minor < 3) ||
      (roots_alike && minor < 4))
    return make_error(ErrorCode::kDamaged, 10);
  return FileFeatures{mixed ? GraphOrder::kMixed : GraphOrder::kObjectsFirst, later_root_kinds,
                      roots_alike};
}

void write_block_header(const BlockHeader& header, std::span<const std::byte> stored,
                        std::span<std::byte, kBlockHeaderBytes> out) noexcept {
  store(out.data(), kBlockMarker);
  store(out.data() + 4, header.stored_bytes);
  store(out.data() + 8, header.raw_bytes);
  store(out.data() + 12, header.number);
  store(out.data() + kBlockChecksumOffset, checksum(out.first(kBlockChecksumOffset), stored));
}

Result<BlockHeader> read_block_header(
    std::span<const std::byte, kBlockHeaderBytes> bytes) noexcept {
  BlockHeader header;
  header.stored_bytes = load<std::uint32_t>(bytes.data() + 4);
  header.raw_bytes = load<std::uint32_t>(bytes.data() + 8);
  header.number = load<std::uint32_t>(bytes.data() + 12);
  if (load<std::uint32_t>(bytes.data()) != kBlockMarker) return make_error(ErrorCode::kDamaged, 0);
  if (header.raw_bytes > kMaxRawBytes) return make_error(ErrorCode::kDamaged, 8);
  // zstd never makes incompressible data much larger than it was.
  if (header.stored_bytes == 0 || header.stored_bytes > kMaxRawBytes + kMaxRawBytes / 128) {
    return make_error(ErrorCode::kDamaged, 4);
  }
  return header;
}

bool block_checksum_right(std::span<const std::byte, kBlockHeaderBytes> header,
                          std::span<const std::byte> stored) noexcept {
  return load<std::uint64_t>(header.data() + kBlockChecksumOffset) ==
         checksum(header.first(kBlockChecksumOffset), stored);
}

}  // namespace holdfast::analysis
