#include "clrprofiler/names/name_text.h"

#include <cstring>

#include "common/utf8.h"

namespace holdfast::clr {

namespace {

constexpr std::size_t kRoom = NameText::kMaxBytes - kEllipsis.size();
constexpr std::uint32_t kReplacement = 0xFFFD;

bool is_high(char16_t unit) noexcept { return (unit & 0xFC00u) == 0xD800u; }
bool is_low(char16_t unit) noexcept { return (unit & 0xFC00u) == 0xDC00u; }
bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

// The code point at `at`, which moves behind it.
std::uint32_t take_code_point(std::u16string_view text, std::size_t& at) noexcept {
  const char16_t unit = text[at++];
  if (!is_high(unit) && !is_low(unit)) return unit;
  if (!is_high(unit) || at == text.size() || !is_low(text[at])) return kReplacement;
  const auto low = static_cast<std::uint32_t>(text[at++] & 0x3FFu);
  return 0x10000u + (static_cast<std::uint32_t>(unit & 0x3FFu) << 10u) + low;
}

struct Utf8 {
  char bytes[4];
  std::size_t size;
  std::string_view view() const noexcept { return {bytes, size}; }
};

char continuation(std::uint32_t code, unsigned shift) noexcept {
  return static_cast<char>(0x80u | ((code >> shift) & 0x3Fu));
}

Utf8 encode(std::uint32_t code) noexcept {
  if (code < 0x80u) return {{static_cast<char>(code)}, 1};
  if (code < 0x800u) return {{static_cast<char>(0xC0u | (code >> 6u)), continuation(code, 0)}, 2};
  if (code < 0x10000u)
    return {
        {static_cast<char>(0xE0u | (code >> 12u)), continuation(code, 6), continuation(code, 0)},
        3};
  return {{static_cast<char>(0xF0u | (code >> 18u)), continuation(code, 12), continuation(code, 6),
           continuation(code, 0)},
          4};
}

// How much of `text` fits into `room` without parting a code point.
std::size_t whole_bytes(std::string_view text, std::size_t room) noexcept {
  while (room > 0 && continues(text[room])) --room;
  return room;
}

}  // namespace

void NameText::clear() noexcept {
  bytes_ = 0;
  cut_ = false;
}

void NameText::append(std::string_view text) noexcept {
  if (cut_ || text.empty()) return;
  const bool fits = text.size() <= kRoom - bytes_;
  const std::size_t taken = fits ? text.size() : whole_bytes(text, kRoom - bytes_);
  std::memcpy(text_ + bytes_, text.data(), taken);
  bytes_ += taken;
  if (!fits) cut();
}

void NameText::append(std::u16string_view text) noexcept {
  for (std::size_t at = 0; at < text.size() && !cut_;)
    append(encode(take_code_point(text, at)).view());
}

void NameText::append_hex(std::uint32_t number) noexcept {
  char digits[10] = {'0', 'x'};
  for (std::size_t i = 0; i < 8; ++i)
    digits[2 + i] = "0123456789abcdef"[(number >> (28 - 4 * i)) & 15u];
  append(std::string_view(digits, sizeof digits));
}

void NameText::cut() noexcept {
  std::memcpy(text_ + bytes_, kEllipsis.data(), kEllipsis.size());
  bytes_ += kEllipsis.size();
  cut_ = true;
}

}  // namespace holdfast::clr
