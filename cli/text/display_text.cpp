#include "cli/text/display_text.h"

#include <algorithm>
#include <cstdio>
#include <span>
#include <utility>

namespace holdfast::cli {
namespace {

constexpr CodePoint kInvalid{0xFFFD, 1};

struct Range {
  std::uint32_t first, last;
};

constexpr Range kUnprintable[] = {
    {0x0000, 0x001F}, {0x007F, 0x009F}, {0x00AD, 0x00AD},   {0x061C, 0x061C},
    {0x180E, 0x180E}, {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},
    {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE0FFF},
};
constexpr Range kZeroWidth[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x0610, 0x061A}, {0x064B, 0x065F},
    {0x0900, 0x0902}, {0x0E31, 0x0E31}, {0x0E34, 0x0E3A}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F},
};
constexpr Range kDoubleWidth[] = {
    {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18CFF}, {0x1B000, 0x1B2FF}, {0x1F300, 0x1F64F},
    {0x1F680, 0x1F6FF}, {0x1F900, 0x1FAFF}, {0x20000, 0x3FFFD},
};

bool within(std::span<const Range> ranges, std::uint32_t value) {
  const auto above = std::ranges::upper_bound(ranges, value, {}, &Range::first);
  return above != ranges.begin() && value <= std::prev(above)->last;
}

std::size_t width_of(std::uint32_t value) {
  if (value < 0x300) return 1;
  if (within(kZeroWidth, value)) return 0;
  return within(kDoubleWidth, value) ? 2 : 1;
}

std::size_t sequence_bytes(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead < 0xE0) return 2;
  if (lead >= 0xE0 && lead < 0xF0) return 3;
  return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

bool lawful(std::uint32_t value, std::size_t bytes) {
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  return value >= kSmallest[bytes] && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
}

constexpr std::string_view kUnits[] = {"B",  "KB", "MB",  "GB", "TB", "µs",
                                       "ms", "s",  "min", "h",  "%"};

// Does `text` go on with a unit? "61.3 MB" is one word to a reader.
bool unit_follows(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of(" ,;:.)"), text.size());
  return std::ranges::find(kUnits, text.substr(0, end)) != std::end(kUnits);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Bytes up to the next space at which a line may be broken.
std::size_t word_bytes(std::string_view text) {
  std::size_t space = text.find(' ');
  while (space != std::string_view::npos && space > 0 && is_digit(text[space - 1]) &&
         unit_follows(text.substr(space + 1))) {
    space = text.find(' ', space + 1);
  }
  return std::min(space, text.size());
}

// Bytes of `word` that fit, at least one code point, so that every caller's loop ends.
std::size_t fitting_bytes(std::string_view word, std::size_t columns) {
  return std::max(prefix_of_width(word, columns).size(), first_code_point(word).bytes);
}

}  // namespace

CodePoint first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = sequence_bytes(lead);
  if (bytes == 1) return {lead, 1};
  if (bytes == 0 || bytes > text.size()) return kInvalid;
  std::uint32_t value = lead & (0x7Fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xC0) != 0x80) return kInvalid;
    value = (value << 6) | (next & 0x3Fu);
  }
  return lawful(value, bytes) ? CodePoint{value, bytes} : kInvalid;
}

bool is_unprintable(std::uint32_t code_point) { return within(kUnprintable, code_point); }

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (is_unprintable(point.value)) {
      char escape[16];
      std::snprintf(escape, sizeof escape, "\\u%04x", point.value);
      out += escape;
    } else if (point.value == 0xFFFD) {
      out += "\uFFFD";
    } else {
      out += text.substr(0, point.bytes);
    }
    text.remove_prefix(point.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    columns += width_of(point.value);
    text.remove_prefix(point.bytes);
  }
  return columns;
}

std::string_view prefix_of_width(std::string_view text, std::size_t columns) {
  std::size_t bytes = 0;
  while (bytes < text.size()) {
    const CodePoint point = first_code_point(text.substr(bytes));
    const std::size_t width = width_of(point.value);
    if (width > columns) break;
    columns -= width;
    bytes += point.bytes;
  }
  return text.substr(0, bytes);
}

std::string_view suffix_of_width(std::string_view text, std::size_t columns) {
  std::size_t total = display_width(text);
  while (total > columns) {
    const CodePoint point = first_code_point(text);
    total -= width_of(point.value);
    text.remove_prefix(point.bytes);
  }
  return text;
}

std::vector<std::string> wrap_words(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = word_bytes(text);
    std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    const std::size_t used = line.empty() ? 0 : display_width(line) + 1;
    if (!line.empty() && used + display_width(word) > columns)
      lines.push_back(std::exchange(line, {}));
    while (display_width(word) > columns) {
      const std::size_t bytes = fitting_bytes(word, columns);
      lines.emplace_back(word.substr(0, bytes));
      word.remove_prefix(bytes);
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace holdfast::cli
