// The columns of one block while it is built (ColumnWriter) or taken apart (ColumnReader), with the same calls, so that each
// row's coding is written down once for both directions (row_coding.h).
// Why bytes: small differences make short varints, and zstd finds the rest.
// Shape:  number: varint, 7 bits a byte, low bits first, at most 5 bytes (32 bit) or 10 (64 bit).
//         delta: the difference to an expected value, modulo 2^32, zigzag, as a number; so "none" (0xFFFFFFFF) is next to 0.
//         octet: one byte.
//         A writer's columns have kMaxColumnBytes / columns bytes each; rows_per_block() rows fit whatever their values are.
// Zone:   writer: worker; reader: offline.
// Errors: a reader that is out of bytes or meets an overlong number turns bad() and answers zeros from then on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "analysis/snapshot_file/block_format.h"

namespace holdfast::analysis {

inline constexpr std::size_t kMaxNumberBytes = 5;
inline constexpr std::size_t kMaxWideNumberBytes = 10;

constexpr std::uint32_t zigzag(std::uint32_t difference) noexcept {
  return (difference << 1) ^ (0u - (difference >> 31));
}
constexpr std::uint32_t unzigzag(std::uint32_t code) noexcept {
  return (code >> 1) ^ (0u - (code & 1));
}
static_assert(unzigzag(zigzag(0x80000000u)) == 0x80000000u && zigzag(0xFFFFFFFFu) == 1);

// Rows whose columns fit for certain, with at most `bytes_each` in each of `columns` columns.
constexpr std::size_t rows_per_block(std::size_t columns, std::size_t bytes_each) noexcept {
  return kMaxColumnBytes / columns / bytes_each;
}

// The same for columns of different widths.
template <std::size_t N>
constexpr std::size_t rows_per_block(const std::array<std::size_t, N>& widths) noexcept {
  std::size_t row_bytes = 0;
  for (const std::size_t width : widths) row_bytes += width;
  return kMaxColumnBytes / row_bytes;
}

class ColumnWriter {
 public:
  static constexpr bool kReading = false;
  // `memory` holds kMaxColumnBytes.
  explicit ColumnWriter(std::span<std::byte> memory) noexcept : memory_(memory) {}

  void start(std::size_t columns) noexcept {
    columns_ = columns;
    for (std::size_t c = 0; c < columns; ++c)
      end_[c] = start_[c] = memory_.data() + c * (kMaxColumnBytes / columns);
  }
  // Columns of different widths, for rows_per_block(widths) rows.
  template <std::size_t N>
  void start(const std::array<std::size_t, N>& widths) noexcept {
    static_assert(N <= kMaxColumns);
    columns_ = N;
    std::byte* at = memory_.data();
    for (std::size_t c = 0; c < N; ++c) {
      end_[c] = start_[c] = at;
      at += widths[c] * rows_per_block(widths);
    }
  }
  std::size_t columns() const noexcept { return columns_; }
  std::span<const std::byte> column(std::size_t c) const noexcept { return {start_[c], end_[c]}; }

  void number(std::size_t c, std::uint32_t value) noexcept { wide(c, value); }
  void wide(std::size_t c, std::uint64_t value) noexcept { end_[c] = put_number(end_[c], value); }
  // Answers where it ends.
  static std::byte* put_number(std::byte* at, std::uint64_t value) noexcept {
    while (value >= 0x80) {
      *at++ = static_cast<std::byte>(value | 0x80);
      value >>= 7;
    }
    *at++ = static_cast<std::byte>(value);
    return at;
  }
  // For who fills a column by itself.
  std::byte* end(std::size_t c) const noexcept { return end_[c]; }
  void set_end(std::size_t c, std::byte* at) noexcept { end_[c] = at; }
  void delta(std::size_t c, std::uint32_t value, std::uint32_t expected) noexcept {
    number(c, zigzag(value - expected));
  }
  void octet(std::size_t c, std::uint8_t value) noexcept {
    *end_[c]++ = static_cast<std::byte>(value);
  }
  void text(std::size_t c, std::span<const std::byte> bytes) noexcept {
    if (!bytes.empty()) std::memcpy(end_[c], bytes.data(), bytes.size());
    end_[c] += bytes.size();
  }

 private:
  std::span<std::byte> memory_;
  std::byte* start_[kMaxColumns] = {};
  std::byte* end_[kMaxColumns] = {};
  std::size_t columns_ = 0;
};

class ColumnReader {
 public:
  static constexpr bool kReading = true;

  void start() noexcept { *this = ColumnReader(); }
  void add(std::span<const std::byte> bytes) noexcept {
    at_[columns_] = bytes.data();
    end_[columns_] = bytes.data() + bytes.size();
    ++columns_;
  }
  std::size_t columns() const noexcept { return columns_; }
  bool bad() const noexcept { return bad_; }
  // What was not read yet.
  std::span<const std::byte> rest(std::size_t c) const noexcept { return {at_[c], end_[c]}; }
  // Every byte was used.
  bool at_end() const noexcept {
    for (std::size_t c = 0; c < columns_; ++c) {
      if (at_[c] != end_[c]) return false;
    }
    return !bad_;
  }

  void number(std::size_t c, std::uint32_t& value) noexcept {
    if (at_[c] != end_[c] && *at_[c] < std::byte{0x80}) {  // nearly all
      value = std::to_integer<std::uint32_t>(*at_[c]++);
      return;
    }
    std::uint64_t wide_value = 0;
    wide(c, wide_value);
    if (wide_value > 0xFFFFFFFFu) bad_ = true;
    value = bad_ ? 0 : static_cast<std::uint32_t>(wide_value);
  }
  void wide(std::size_t c, std::uint64_t& value) noexcept {
    value = 0;
    for (unsigned shift = 0; shift < 7 * kMaxWideNumberBytes; shift += 7) {
      if (at_[c] == end_[c]) break;
      const auto byte = std::to_integer<std::uint64_t>(*at_[c]++);
      if (shift == 63 && byte > 1) break;
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) return;
    }
    bad_ = true;
    value = 0;
  }
  void delta(std::size_t c, std::uint32_t& value, std::uint32_t expected) noexcept {
    std::uint32_t code = 0;
    number(c, code);
    value = expected + unzigzag(code);
  }
  void octet(std::size_t c, std::uint8_t& value) noexcept {
    value = 0;
    if (at_[c] == end_[c]) {
      bad_ = true;
    } else {
      value = std::to_integer<std::uint8_t>(*at_[c]++);
    }
  }
  // The next `bytes` bytes, or nothing when there are not so many.
  std::span<const std::byte> text(std::size_t c, std::size_t bytes) noexcept {
    if (bytes > static_cast<std::size_t>(end_[c] - at_[c])) {
      bad_ = true;
      return {};
    }
    at_[c] += bytes;
    return {at_[c] - bytes, bytes};
  }

 private:
  const std::byte* at_[kMaxColumns] = {};
  const std::byte* end_[kMaxColumns] = {};
  std::size_t columns_ = 0;
  bool bad_ = false;
};

}  // namespace holdfast::analysis
