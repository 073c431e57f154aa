// For tests only: a snapshot file whose blocks were changed by somebody who can make checksums.
// Shape:  each block is taken apart, given to `change`, packed again with a right checksum.   Zone: tests.   Errors: aborts.
#pragma once

#include <zstd.h>

#include <cstring>
#include <vector>

#include "analysis/snapshot_file/block_format.h"
#include "analysis/snapshot_file/snapshot_file_generated.h"
#include "analysis/snapshot_file/snapshot_fixture.h"

namespace holdfast::analysis {

// Sets a scalar field that is in the table already (flatbuffers leave out defaults).
template <class T, class Table>
void forge(const Table& table, flatbuffers::voffset_t field, T value) {
  auto& raw = const_cast<flatbuffers::Table&>(reinterpret_cast<const flatbuffers::Table&>(table));
  SnapshotFixture::must(raw.CheckField(field));
  std::memcpy(raw.GetAddressOf(field), &value, sizeof value);
}

// `change(block)` forges fields of a const snapshot_file::Block&.
template <class Change>
std::vector<std::byte> forged(std::span<const std::byte> file, Change change) {
  std::vector<std::byte> out(file.begin(), file.begin() + kSnapshotHeaderBytes);
  std::size_t at = kSnapshotHeaderBytes;
  std::vector<std::byte> raw(kMaxRawBytes);
  while (at < file.size()) {
    auto header = read_block_header(file.subspan(at).first<kBlockHeaderBytes>());
    SnapshotFixture::must(header.ok());
    ZSTD_decompress(raw.data(), raw.size(), file.data() + at + kBlockHeaderBytes,
                    header->stored_bytes);
    at += kBlockHeaderBytes + header->stored_bytes;
    change(*snapshot_file::GetBlock(raw.data()));
    std::vector<std::byte> stored(ZSTD_compressBound(header->raw_bytes));
    stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), header->raw_bytes, 1));
    header->stored_bytes = static_cast<std::uint32_t>(stored.size());
    std::byte bytes[kBlockHeaderBytes];
    write_block_header(*header, stored, bytes);
    out.insert(out.end(), bytes, bytes + kBlockHeaderBytes);
    out.insert(out.end(), stored.begin(), stored.end());
  }
  return out;
}

}  // namespace holdfast::analysis
