// Text for a terminal: names that cannot do anything to it, and how many columns they take.
// Why: class, thread and method names come from the application; an escape sequence in one must never reach the terminal.
// Shape:  O(length). Width by simple ranges: 0 for combining marks, 2 for East Asian wide and emoji, else 1.
// Zone:   offline.   Errors: none; invalid UTF-8 becomes U+FFFD.
// Source: Unicode 15, EastAsianWidth and general categories Cc, Cf, Mn (the ranges that matter here).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace holdfast::cli {

// The first code point of `text` (not empty) and its bytes; U+FFFD and 1 for an invalid byte.
struct CodePoint {
  std::uint32_t value;
  std::size_t bytes;
};
CodePoint first_code_point(std::string_view text);

// Control characters, line ends, bidirectional controls, invisible characters.
bool is_unprintable(std::uint32_t code_point);
// Each of these as \u001b. Idempotent.
std::string printable(std::string_view text);

std::size_t display_width(std::string_view text);
// The longest prefix, or suffix, of at most `columns` columns, in whole code points.
std::string_view prefix_of_width(std::string_view text, std::size_t columns);
std::string_view suffix_of_width(std::string_view text, std::size_t columns);
// Words of printable text in lines of at most `columns` columns; a number stays with its unit; longer words are broken.
std::vector<std::string> wrap_words(std::string_view text, std::size_t columns);

}  // namespace holdfast::cli
