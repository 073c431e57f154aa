// The 32 bytes before the flatbuffer: what tells a report from anything else, and an intact one from a damaged one.
// Why a magic like PNG's: the high bit dies in 7-bit transfer, CR LF and LF die in text mode, 0x1A stops a DOS `type`; so damage
//      of that sort is named as damage instead of "not ours".
// Shape:  little endian: magic[8], major u16, minor u16, flags u32 (0), payload_bytes u64, checksum u64 (XXH3-64 over the 24
//         bytes before it and the payload). file size == 32 + payload_bytes.
// Zone:   any.
// Errors: read_header(): kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/result.h"

namespace holdfast::analysis {

inline constexpr std::array<unsigned char, 8> kReportMagic = {0x89, 'H',  'F',  'R',
                                                              '\r', '\n', 0x1A, '\n'};
inline constexpr std::size_t kReportHeaderBytes = 32;
inline constexpr std::size_t kReportChecksumOffset = 24;
// Flatbuffers ends at 2 GiB; a report is meant to stay under 2 MB, so this is generous, and it bounds the reader's work.
inline constexpr std::uint64_t kMaxReportPayloadBytes = std::uint64_t{256} << 20;

// Writes the header for the payload that follows it: image.size() == 32 + payload.
void write_header(std::span<std::byte> image) noexcept;
// What the checksum field of this image should say.
std::uint64_t header_checksum(std::span<const std::byte> image) noexcept;

// Whether a file whose header was read is of a later minor version than this code: it may hold values that this code has no name for.
bool newer_minor(std::span<const std::byte> file) noexcept;

// The payload of an intact file of our major version.
Result<std::span<const std::byte>> read_header(std::span<const std::byte> file) noexcept;

}  // namespace holdfast::analysis
