#include "analysis/import/archive.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "analysis/import/import_failure.h"

namespace holdfast::analysis {
namespace {

constexpr std::size_t kInputBytes = std::size_t{1}
                                    << 20;  // a step of zlib, which counts in 32 bits
constexpr const char* kCut = "ends early";
constexpr const char* kTrailing = "is followed by bytes of something else";

bool begins_with(std::span<const std::byte> bytes, std::span<const unsigned char> magic) noexcept {
  if (bytes.size() < magic.size()) return false;
  for (std::size_t i = 0; i < magic.size(); ++i)
    if (std::to_integer<unsigned char>(bytes[i]) != magic[i]) return false;
  return true;
}

constexpr unsigned char kGzipMagic[] = {0x1F, 0x8B};
constexpr unsigned char kZstdMagic[] = {0x28, 0xB5, 0x2F, 0xFD};

bool all_zero(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte b) { return b == std::byte{0}; });
}

std::string damaged(const char* why) {
  return std::string("is damaged (") + (why == nullptr ? "unknown" : why) + ")";
}

[[noreturn]] void refuse_memory() {
  throw ImportFailure(ErrorCode::kOutOfMemory, 0, "the system refuses memory for unpacking");
}

// Collects what a decoder makes and passes it on in whole pieces.
class Pieces {
 public:
  explicit Pieces(const TakeBytes& take) : take_(take), bytes_(kArchivePieceBytes) {}

  std::span<std::byte> room() noexcept { return std::span(bytes_).subspan(used_); }
  void made(std::size_t count, std::uint64_t packed_offset) {
    used_ += count;
    if (used_ == bytes_.size()) flush(packed_offset);
  }
  void flush(std::uint64_t packed_offset) {
    const std::size_t count = used_;
    used_ = 0;
    if (count != 0) take_(std::span<const std::byte>(bytes_).first(count), packed_offset);
  }

 private:
  const TakeBytes& take_;
  std::vector<std::byte> bytes_;
  std::size_t used_ = 0;
};

class Inflater {
 public:
  Inflater() {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) refuse_memory();
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void next_member() noexcept { inflateReset(&stream_); }
  const char* message() const noexcept { return stream_.msg; }

  struct Step {
    int code;
    std::size_t read, made;
  };
  Step step(std::span<const std::byte> in, std::span<std::byte> out) noexcept {
    const std::size_t offered = std::min(in.size(), kInputBytes);
    // zlib reads through a pointer to non-const bytes and leaves them as they are.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(in.data()));
    stream_.avail_in = static_cast<uInt>(offered);
    stream_.next_out = reinterpret_cast<Bytef*>(out.data());
    stream_.avail_out = static_cast<uInt>(out.size());
    const int code = inflate(&stream_, Z_NO_FLUSH);
    return {code, offered - stream_.avail_in, out.size() - stream_.avail_out};
  }

 private:
  z_stream stream_{};
};

ArchiveEnd unpack_gzip(std::span<const std::byte> packed, Pieces& pieces) {
  Inflater inflater;
  std::size_t at = 0;
  while (at == 0 || !all_zero(packed.subspan(at))) {
    if (packed.size() - at == 1 && packed[at] == std::byte{kGzipMagic[0]})
      return {packed.size(), kCut};
    if (!begins_with(packed.subspan(at), kGzipMagic)) return {at, kTrailing};
    inflater.next_member();
    int code = Z_OK;
    while (code == Z_OK) {
      const Inflater::Step step = inflater.step(packed.subspan(at), pieces.room());
      code = step.code;
      at += step.read;
      pieces.made(step.made, at);
    }
    if (code == Z_MEM_ERROR) refuse_memory();
    if (code == Z_BUF_ERROR) return {at, kCut};  // no progress, and there is always room
    if (code != Z_STREAM_END) return {at, damaged(inflater.message())};
  }
  return {at, {}};
}

ArchiveEnd unpack_zstd(std::span<const std::byte> packed, Pieces& pieces) {
  const std::unique_ptr<ZSTD_DStream, std::size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                             ZSTD_freeDStream);
  if (stream == nullptr) refuse_memory();
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  std::size_t frame_begin = 0;
  while (true) {
    const std::span<std::byte> room = pieces.room();
    ZSTD_outBuffer out{room.data(), room.size(), 0};
    const std::size_t result = ZSTD_decompressStream(stream.get(), &out, &in);
    pieces.made(out.pos, in.pos);
    if (ZSTD_isError(result)) {
      if (frame_begin != 0 && !begins_with(packed.subspan(frame_begin), kZstdMagic))
        return {frame_begin, kTrailing};
      return {in.pos, damaged(ZSTD_getErrorName(result))};
    }
    if (result == 0) {  // a frame is complete
      frame_begin = in.pos;
      if (all_zero(packed.subspan(frame_begin))) return {frame_begin, {}};
    } else if (in.pos == in.size && out.pos < room.size()) {
      return {in.pos, kCut};
    }
  }
}

}  // namespace

ArchiveKind archive_kind(std::span<const std::byte> first_bytes) noexcept {
  if (begins_with(first_bytes, kGzipMagic)) return ArchiveKind::kGzip;
  if (begins_with(first_bytes, kZstdMagic)) return ArchiveKind::kZstd;
  return ArchiveKind::kNone;
}

const char* archive_name(ArchiveKind kind) noexcept {
  return kind == ArchiveKind::kGzip ? "gzip" : "zstd";
}

ArchiveEnd unpack(ArchiveKind kind, std::span<const std::byte> packed, const TakeBytes& take) {
  Pieces pieces(take);
  ArchiveEnd end =
      kind == ArchiveKind::kGzip ? unpack_gzip(packed, pieces) : unpack_zstd(packed, pieces);
  pieces.flush(end.packed_offset);
  return end;
}

}  // namespace holdfast::analysis
