#include "analysis/report/file_header.h"

#include <algorithm>
#include <cstring>

#include "analysis/checksum.h"
#include "analysis/report/reader.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kMajorOffset = 8;
constexpr std::size_t kMinorOffset = 10;
constexpr std::size_t kFlagsOffset = 12;
constexpr std::size_t kPayloadBytesOffset = 16;
constexpr std::size_t kNameBytes = 4;  // 0x89 'H' 'F' 'R'; what follows only shows text-mode damage

template <class T>
T load(std::span<const std::byte> file, std::size_t offset) noexcept {
  T value{};
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    value = static_cast<T>(value | static_cast<T>(static_cast<T>(file[offset + i]) << (8 * i)));
  }
  return value;
}

template <class T>
void store(std::span<std::byte> file, std::size_t offset, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    file[offset + i] = static_cast<std::byte>(value >> (8 * i));
}

// Bytes that agree with the magic; the first may have lost its high bit.
std::size_t magic_prefix(std::span<const std::byte> file) noexcept {
  const std::size_t room = std::min(file.size(), kReportMagic.size());
  for (std::size_t i = 0; i < room; ++i) {
    const auto byte = std::to_integer<unsigned char>(file[i]);
    const bool stripped = i == 0 && byte == (kReportMagic[0] & 0x7F);
    if (byte != kReportMagic[i] && !stripped) return i;
  }
  return room;
}

Result<void> check_magic(std::span<const std::byte> file) noexcept {
  const std::size_t prefix = magic_prefix(file);
  if (prefix < std::min(file.size(), kNameBytes)) return make_error(ErrorCode::kNotOurs);
  if (prefix < kReportMagic.size())
    return make_error(ErrorCode::kDamaged, static_cast<std::int64_t>(prefix));
  if (std::to_integer<unsigned char>(file[0]) != kReportMagic[0])
    return make_error(ErrorCode::kDamaged, 0);
  return {};
}

}  // namespace

std::uint64_t header_checksum(std::span<const std::byte> image) noexcept {
  return checksum(image.first(kReportChecksumOffset), image.subspan(kReportHeaderBytes));
}

void write_header(std::span<std::byte> image) noexcept {
  std::memcpy(image.data(), kReportMagic.data(), kReportMagic.size());
  store(image, kMajorOffset, kReportMajor);
  store(image, kMinorOffset, kReportMinor);
  store(image, kFlagsOffset, std::uint32_t{0});
  store(image, kPayloadBytesOffset, std::uint64_t{image.size() - kReportHeaderBytes});
  store(image, kReportChecksumOffset, header_checksum(image));
}

bool newer_minor(std::span<const std::byte> file) noexcept {
  return load<std::uint16_t>(file, kMinorOffset) > kReportMinor;
}

Result<std::span<const std::byte>> read_header(std::span<const std::byte> file) noexcept {
  HF_CHECK_OK(check_magic(file));
  const auto file_bytes = static_cast<std::int64_t>(file.size());
  if (file.size() < kReportHeaderBytes) return make_error(ErrorCode::kDamaged, file_bytes);
  const auto major = load<std::uint16_t>(file, kMajorOffset);
  if (major > kReportMajor) return make_error(ErrorCode::kNewerVersion, major);
  if (major < kReportMajor)
    return make_error(ErrorCode::kDamaged, kMajorOffset);  // there never was an older one
  const auto payload_bytes = load<std::uint64_t>(file, kPayloadBytesOffset);
  if (payload_bytes > kMaxReportPayloadBytes)
    return make_error(ErrorCode::kDamaged, kPayloadBytesOffset);
  const std::uint64_t wanted = kReportHeaderBytes + payload_bytes;
  if (file.size() !=
      wanted) {  // cut, or something was appended: name the place where it stops being right
    return make_error(ErrorCode::kDamaged, std::min(file_bytes, static_cast<std::int64_t>(wanted)));
  }
  if (load<std::uint64_t>(file, kReportChecksumOffset) != header_checksum(file)) {
    return make_error(ErrorCode::kDamaged, kReportChecksumOffset);
  }
  // Flags say that the payload needs a reader that knows them; this one knows none.
  if (load<std::uint32_t>(file, kFlagsOffset) != 0)
    return make_error(ErrorCode::kNewerVersion, major);
  return file.subspan(kReportHeaderBytes);
}

}  // namespace holdfast::analysis
