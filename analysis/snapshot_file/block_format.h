// The bytes around the blocks of a snapshot file: file header and block headers.
// Why a checksum and a number per block: a file of any length is read as a stream, a cut shows at once where it is, and blocks
//      that were swapped, repeated or left out are noticed.
// Shape:  little endian. File header, 16 bytes: magic[8], major u16, minor u16, flags u32.
//         Flags say what a reader must know; one that meets another flag answers kNewerVersion. A reader of 1.0 knows none, one of
//         1.1 the first. The minor version is that of the newest flag, so what needs no newer reader says so.
//         Block header, 24 bytes: marker u32, stored_bytes u32, raw_bytes u32, number u32 (0, 1, 2 ...), checksum u64 (XXH3-64 over
//         the 16 bytes before it and the stored bytes). Then stored_bytes of one zstd frame with raw_bytes of flatbuffer.
//         raw_bytes <= kMaxRawBytes.
// Zone:   any.
// Errors: kNotOurs, kNewerVersion (detail: major), kDamaged (detail: offset in what was given).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "common/result.h"

namespace holdfast::analysis {

inline constexpr std::array<unsigned char, 8> kSnapshotMagic = {0x89, 'H',  'F',  'S',
                                                                '\r', '\n', 0x1A, '\n'};
inline constexpr std::uint16_t kSnapshotMajor = 1;
inline constexpr std::uint16_t kSnapshotMinor = 4;
// Finer shallow sizes, packed references, optional blocks: set in every file of 1.1 and later, in none of 1.0.
inline constexpr std::uint32_t kNeedsMinor1 = 1u << 0;
// Blocks of references stand between those of objects (GraphOrder::kMixed): 1.2.
inline constexpr std::uint32_t kNeedsMinor2 = 1u << 1;
// Kinds of 1.3 are among the GC roots (RootKind::kStaticField and those after it).
inline constexpr std::uint32_t kNeedsMinor3 = 1u << 2;
// A local holds as much as a static field, as Eclipse MAT has it (Snapshot::roots_alike): 1.4.
inline constexpr std::uint32_t kNeedsMinor4 = 1u << 3;
inline constexpr std::size_t kSnapshotHeaderBytes = 16;
inline constexpr std::size_t kBlockHeaderBytes = 24;
inline constexpr std::uint32_t kBlockMarker = 0x4B424648u;  // "HFBK"
inline constexpr std::size_t kMaxRawBytes = std::size_t{1} << 20;
// Column bytes of one block; the rest of kMaxRawBytes is for the tables around them.
inline constexpr std::size_t kMaxColumnBytes = 960u << 10;
inline constexpr std::size_t kMaxColumns = 10;
// As much as a report file may have (analysis/report/file_header.h); a report is meant to stay under 2 MB.
inline constexpr std::uint64_t kMaxEmbeddedReportBytes = (std::uint64_t{256} << 20) + 32;

struct BlockHeader {
  std::uint32_t stored_bytes = 0;
  std::uint32_t raw_bytes = 0;
  std::uint32_t number = 0;
};

// How objects and references follow each other. Mixed: who writes needs no memory for the graph.
enum class GraphOrder : std::uint8_t {
  kObjectsFirst,
  kMixed,  // the references of an object come anywhere behind it, in the order of the objects
};

// What a file has that readers of 1.1 do not know.
struct FileFeatures {
  GraphOrder order = GraphOrder::kObjectsFirst;
  bool later_root_kinds = false;
  bool roots_alike = false;
};

void write_file_header(FileFeatures features,
                       std::span<std::byte, kSnapshotHeaderBytes> out) noexcept;
Result<FileFeatures> read_file_header(std::span<const std::byte> file) noexcept;
// `stored` are the bytes that follow the header.
void write_block_header(const BlockHeader& header, std::span<const std::byte> stored,
                        std::span<std::byte, kBlockHeaderBytes> out) noexcept;
// Checks marker and sizes, not yet the checksum: the stored bytes may not be there.
Result<BlockHeader> read_block_header(std::span<const std::byte, kBlockHeaderBytes> bytes) noexcept;
bool block_checksum_right(std::span<const std::byte, kBlockHeaderBytes> header,
                          std::span<const std::byte> stored) noexcept;

}  // namespace holdfast::analysis
