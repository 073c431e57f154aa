#include "analysis/report/utf8.h"

#include <cstdint>
#include <cstring>

#include "common/utf8.h"

namespace holdfast::analysis {
namespace {

bool eight_ascii(const char* text) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, text, sizeof word);
  return (word & 0x8080808080808080u) == 0;
}

}  // namespace

bool valid_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t step = text.size() >= 8 && eight_ascii(text.data()) ? 8 : utf8_step(text);
    if (step == 0) return false;
    text.remove_prefix(step);
  }
  return true;
}

std::size_t whole_characters(std::string_view text, std::size_t limit) noexcept {
  if (limit >= text.size()) return text.size();
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0u) == 0x80u) --limit;
  return limit;
}

}  // namespace holdfast::analysis
