// Patterns for names of classes, loaders, packages and fields, as people type them: "java.*", "*Session?", "shop.Main".
// Why not regular expressions: dots and brackets, which every class name has, would have to be escaped, and a bad one can take
//      for ever.
// Shape:  '*' is any run of bytes, dots and none included; '?' is one code point; all else is itself. The whole name counts.
//         No memory; O(pattern * name) at worst: of several stars only the last is ever tried again.
// Zone:   worker, offline.   Errors: none.
#pragma once

#include <span>
#include <string_view>

namespace holdfast::analysis {

bool name_matches(std::string_view pattern, std::string_view name) noexcept;

// True when one of the patterns matches; no patterns match nothing.
bool name_matches_any(std::span<const std::string_view> patterns, std::string_view name) noexcept;

}  // namespace holdfast::analysis
