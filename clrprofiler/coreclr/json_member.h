// A member of a JSON object, found in place.
// Why so little: contract_descriptor.h.
// Shape:  values are views of the text, without the blanks around them. Names are compared as they are written: one with an escape is
//         never found. O(text) a question, no deeper than kMostJsonDepth.
// Zone:   any; pure.
// Errors: an empty view where the text ends early, is no JSON, is too deep, or has no such member.
// Source: RFC 8259.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace holdfast::clr {

inline constexpr int kMostJsonDepth = 16;

// `object`: a text that begins with one.
std::string_view json_member(std::string_view object, std::string_view name) noexcept;
// The first element of an array.
std::string_view json_first(std::string_view array) noexcept;
// A whole number, or a string that is one; a string may be hexadecimal ("0x1f").
std::optional<std::uint64_t> json_number(std::string_view value) noexcept;

}  // namespace holdfast::clr
