// The end of a text, from a position on.
// Why not substr(): it checks the position and throws, and the C++ library allocates to throw; a child must not even be able to.
// Zone:   any.   Errors: none; empty beyond the end.
#pragma once

#include <algorithm>
#include <string_view>

namespace holdfast {

inline std::string_view text_tail(std::string_view text, std::size_t start) noexcept {
  text.remove_prefix(std::min(start, text.size()));
  return text;
}

}  // namespace holdfast
