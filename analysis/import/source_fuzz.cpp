// Fuzz target of the unpacking: any bytes as gzip and as zstd, bounded in what comes out.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "analysis/import/archive.h"
#include "analysis/import/archives_for_test.h"

using namespace holdfast::analysis;

namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;
struct Enough {};

void read(ArchiveKind kind, std::span<const std::byte> packed) {
  std::size_t made = 0;
  std::uint64_t before = 0;
  bool last = false;
  try {
    const ArchiveEnd end =
        unpack(kind, packed, [&](std::span<const std::byte> piece, std::uint64_t offset) {
          const bool in_order = offset >= before && offset <= packed.size();
          if (last || piece.empty() || piece.size() > kArchivePieceBytes || !in_order) std::abort();
          last = piece.size() < kArchivePieceBytes;
          before = offset;
          made += piece.size();
          if (made > kMostBytes) throw Enough{};
        });
    if (end.packed_offset > packed.size()) std::abort();
  } catch (const Enough&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  if (const ArchiveKind kind = archive_kind(bytes); kind != ArchiveKind::kNone) read(kind, bytes);
  if (size < 4) return 0;
  // Behind a right beginning, so that mutations of it do not end the matter.
  Bytes mended(bytes.begin(), bytes.end());
  std::memcpy(mended.data(), "\x1F\x8B\x08\x00", 4);
  read(ArchiveKind::kGzip, mended);
  std::memcpy(mended.data(), "\x28\xB5\x2F\xFD", 4);
  read(ArchiveKind::kZstd, mended);
  return 0;
}

extern "C" std::size_t hf_fuzz_seed(std::uint8_t* out, std::size_t capacity) {
  const Bytes dump = bytes_of("JAVA PROFILE 1.0.2, a front; and a front again, and some more text");
  Bytes seed = gzip_member(dump);
  seed = joined(seed, gzip_member(dump, 9));
  seed = joined(seed, zstd_frame(dump));
  if (seed.size() > capacity) return 0;
  std::memcpy(out, seed.data(), seed.size());
  return seed.size();
}
