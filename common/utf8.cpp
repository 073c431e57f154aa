#include "common/utf8.h"

namespace holdfast {

namespace {

bool continues(char c) noexcept { return (static_cast<unsigned char>(c) & 0xC0u) == 0x80u; }

std::size_t length_of_lead(unsigned char lead) noexcept {
  if (lead < 0x80u) return 1;
  if (lead >= 0xC2u && lead < 0xE0u) return 2;
  if (lead >= 0xE0u && lead < 0xF0u) return 3;
  return lead >= 0xF0u && lead < 0xF5u ? 4 : 0;
}

// The second byte excludes overlong forms, surrogates and what lies beyond U+10FFFF.
bool second_allowed(unsigned char lead, unsigned char second) noexcept {
  if (lead == 0xE0u) return second >= 0xA0u;
  if (lead == 0xEDu) return second < 0xA0u;
  if (lead == 0xF0u) return second >= 0x90u;
  return lead != 0xF4u || second < 0x90u;
}

}  // namespace

std::size_t utf8_step(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_of_lead(lead);
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[i])) return 0;
  return length == 1 || second_allowed(lead, static_cast<unsigned char>(text[1])) ? length : 0;
}

}  // namespace holdfast
