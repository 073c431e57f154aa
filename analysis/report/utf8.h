// Is a text valid UTF-8? Whoever prints, escapes or embeds a report's strings relies on it.
// Shape:  O(length), 8 bytes at a time over ASCII; what a code point is, common/utf8.h says.
// Zone:   any.   Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::analysis {

bool valid_utf8(std::string_view text) noexcept;
// The largest n <= limit such that text[0, n) does not end inside a character. text is valid UTF-8.
std::size_t whole_characters(std::string_view text, std::size_t limit) noexcept;

}  // namespace holdfast::analysis
