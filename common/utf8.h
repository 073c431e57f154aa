// UTF-8 as it must be in reports: valid, or made valid.
// Shape:  one step per code point.   Zone: any but stopped.   Errors: none; bad bytes count as one each.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast {

// Bytes of the valid code point at the front of `text`, or 0 when the front is not valid UTF-8 (overlong forms, surrogates
// and values above U+10FFFF are not valid).
std::size_t utf8_step(std::string_view text) noexcept;

inline constexpr std::string_view kUtf8Replacement = "\xEF\xBF\xBD";
inline constexpr std::string_view kEllipsis =
    "\xE2\x80\xA6";  // one code point: something was left out

}  // namespace holdfast
