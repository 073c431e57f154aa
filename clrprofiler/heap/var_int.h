// Numbers in as few bytes as they need; the length stands in the lowest three bits, so that no branch depends on the number.
// Why not seven bits a byte: the loop over them guesses wrong at every second edge, and its 4 ns are the user's pause.
// Shape:  code c in bits 0 to 2: c < 7: c + 1 bytes with 5 + 8 c bits of number; 7: eight bytes of number follow.
//         1 byte below 32, 2 below 8,192, 3 below 2 million. Signed numbers as zig-zag: 0, -1, 1, -2, ...
// Zone:   any, stopped included (inline).
// Errors: put_var_int() writes without looking: there is room for kMaxVarIntBytes. take_var_int() answers false where the bytes end.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace holdfast::clr {

static_assert(std::endian::native == std::endian::little);

inline constexpr std::size_t kMaxVarIntBytes = 9;
inline constexpr unsigned kVarIntCodeBits = 3;
inline constexpr std::uint64_t kVarIntWhole = 7;

inline std::uint8_t* put_var_int(std::uint8_t* at, std::uint64_t value) noexcept {
  const unsigned bytes = (static_cast<unsigned>(std::bit_width(value | 1)) + 10) / 8;
  if (bytes > kVarIntWhole) {
    *at++ = kVarIntWhole;
    std::memcpy(at, &value, sizeof value);
    return at + sizeof value;
  }
  const std::uint64_t coded = value << kVarIntCodeBits | (bytes - 1);
  std::memcpy(at, &coded, sizeof coded);
  return at + bytes;
}

// The number in the first bytes of `coded`, for all codes but kVarIntWhole.
constexpr std::uint64_t var_int_number(std::uint64_t coded, std::uint64_t code) noexcept {
  return (coded >> kVarIntCodeBits) & ((std::uint64_t{1} << (5 + 8 * code)) - 1);
}

inline bool take_var_int(const std::uint8_t*& at, const std::uint8_t* end,
                         std::uint64_t& out) noexcept {
  if (at == end) return false;
  const std::uint64_t code = *at & kVarIntWhole;
  const auto left = static_cast<std::size_t>(end - at);
  std::uint64_t coded = 0;
  if (code == kVarIntWhole) {
    if (left < kMaxVarIntBytes) return false;
    std::memcpy(&out, at + 1, sizeof out);
    at += kMaxVarIntBytes;
    return true;
  }
  if (left >= sizeof coded) {
    std::memcpy(&coded, at, sizeof coded);
  } else {
    if (left <= code) return false;
    std::memcpy(&coded, at, static_cast<std::size_t>(code) + 1);
  }
  out = var_int_number(coded, code);
  at += code + 1;
  return true;
}

constexpr std::uint64_t zig_zag(std::uint64_t difference) noexcept {
  return (difference << 1) ^ (0 - (difference >> 63));
}
constexpr std::uint64_t un_zig_zag(std::uint64_t coded) noexcept {
  return (coded >> 1) ^ (0 - (coded & 1));
}

}  // namespace holdfast::clr
