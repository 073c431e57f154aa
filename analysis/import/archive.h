// gzip and zstd archives as a stream of the bytes that they hold.
// Why here: heap dumps are kept compressed, and `jcmd GC.heap_dump -gz=1` writes one gzip member after another.
// Shape:  recognised by content. Members (gzip) or frames (zstd) follow each other; zeros behind the last one are padding.
//         256 KiB of buffer + the decoder's window (32 KiB; zstd: what the frame asks, at most 128 MiB).
// Zone:   offline.
// Errors: ImportFailure (kOutOfMemory), and whatever `take` throws. Damage is no error here: it ends the archive, and
//         ArchiveEnd says where and why.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace holdfast::analysis {

enum class ArchiveKind : std::uint8_t { kNone, kGzip, kZstd };
ArchiveKind archive_kind(std::span<const std::byte> first_bytes) noexcept;
const char* archive_name(ArchiveKind kind) noexcept;  // "gzip", "zstd"

// How an archive ended; no reason: as it should.
struct ArchiveEnd {
  std::uint64_t packed_offset = 0;
  std::string reason;  // "ends early", "is damaged (incorrect data check)"
};

// Given the bytes in order, in pieces of kArchivePieceBytes (the last one may be shorter), and how far the archive is read.
using TakeBytes =
    std::function<void(std::span<const std::byte> unpacked, std::uint64_t packed_offset)>;
inline constexpr std::size_t kArchivePieceBytes = std::size_t{256} << 10;

ArchiveEnd unpack(ArchiveKind kind, std::span<const std::byte> packed, const TakeBytes& take);

}  // namespace holdfast::analysis
