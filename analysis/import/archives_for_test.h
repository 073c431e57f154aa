// For tests only: archives as gzip, zstd and `jcmd GC.heap_dump -gz` write them, and files of bytes.
// Zone:   tests.   Errors: aborts.
#pragma once

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

namespace holdfast::analysis {

using Bytes = std::vector<std::byte>;

inline Bytes bytes_of(const std::string& text) {
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline Bytes joined(Bytes front, const Bytes& back) {
  front.insert(front.end(), back.begin(), back.end());
  return front;
}

inline Bytes gzip_member(std::span<const std::byte> bytes, int level = 1) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
    std::abort();
  Bytes packed(deflateBound(&stream, static_cast<uLong>(bytes.size())));
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  if (deflate(&stream, Z_FINISH) != Z_STREAM_END) std::abort();
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

inline Bytes zstd_frame(std::span<const std::byte> bytes) {
  ZSTD_CCtx* const context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
  Bytes packed(ZSTD_compressBound(bytes.size()));
  const std::size_t size =
      ZSTD_compress2(context, packed.data(), packed.size(), bytes.data(), bytes.size());
  ZSTD_freeCCtx(context);
  if (ZSTD_isError(size)) std::abort();
  packed.resize(size);
  return packed;
}

// Members or frames of `piece_bytes` each, one after another.
inline Bytes in_pieces(const Bytes& bytes, std::size_t piece_bytes,
                       Bytes (*pack)(std::span<const std::byte>)) {
  Bytes packed;
  for (std::size_t at = 0; at < bytes.size(); at += piece_bytes)
    packed = joined(std::move(packed),
                    pack(std::span(bytes).subspan(at, std::min(piece_bytes, bytes.size() - at))));
  return packed;
}

inline void write_bytes(const std::string& path, std::span<const std::byte> bytes) {
  std::remove(path.c_str());  // a file that is written over may wait for the disk
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) std::abort();
}

}  // namespace holdfast::analysis
