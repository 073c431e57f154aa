#include "analysis/import/hprof_format.h"

#include <algorithm>
#include <string_view>

#include "analysis/import/import_failure.h"

namespace holdfast::analysis {
namespace {

constexpr std::string_view kMagic = "JAVA PROFILE ";
constexpr std::string_view kMajor = "1.0";
constexpr std::size_t kMostVersionBytes = 16;

}  // namespace

std::string_view hprof_array_name(std::uint8_t element_type) noexcept {
  constexpr std::string_view kNames[] = {"[Z", "[C", "[F", "[D", "[B", "[S", "[I", "[J"};
  constexpr std::uint8_t kFirst = 4;
  const unsigned row = element_type - unsigned{kFirst};
  return row < std::size(kNames) ? kNames[row] : std::string_view{};
}

bool looks_like_hprof(std::span<const std::byte> first_bytes) noexcept {
  return first_bytes.size() >= kMagic.size() &&
         std::memcmp(first_bytes.data(), kMagic.data(), kMagic.size()) == 0;
}

HprofHeader read_hprof_header(std::span<const std::byte> file) {
  if (!looks_like_hprof(file)) throw ImportFailure(ErrorCode::kNotOurs, 0, "no HPROF heap dump");
  const char* const begin = reinterpret_cast<const char*>(file.data()) + kMagic.size();
  const std::size_t room = std::min(file.size() - kMagic.size(), kMostVersionBytes);
  const char* const end = std::find(begin, begin + room, '\0');
  if (end == begin + room)
    throw ImportFailure(ErrorCode::kDamaged, kMagic.size(), "the version has no end");
  HprofHeader header;
  header.version.assign(begin, end);
  if (!header.version.starts_with(kMajor))
    throw ImportFailure(ErrorCode::kNewerVersion, kMagic.size(),
                        "HPROF version " + header.version + "; 1.0.x is readable");
  const std::size_t at = kMagic.size() + header.version.size() + 1;
  constexpr std::size_t kNumbers = 4 + 8;
  if (file.size() - at < kNumbers)
    throw ImportFailure(ErrorCode::kDamaged, file.size(), "the file ends inside its header");
  header.id_bytes = load_big_endian<std::uint32_t>(&file[at]);
  if (header.id_bytes != 4 && header.id_bytes != 8)
    throw ImportFailure(
        ErrorCode::kDamaged, at,
        "identifiers of " + std::to_string(header.id_bytes) + " bytes; 4 and 8 are possible");
  header.utc_ms = load_big_endian<std::uint64_t>(&file[at + 4]);
  header.records_offset = at + kNumbers;
  return header;
}

}  // namespace holdfast::analysis
