// The values that options are made of: sizes, times, shares, words, lists.
// Shape:  pure functions over text; a value is taken whole or not at all.
// Zone:   load, offline.   Errors: false, and nothing is written.
#pragma once

#include <cstdint>
#include <string_view>

namespace holdfast {

bool read_count(std::string_view text, std::uint64_t& out) noexcept;
bool read_size(std::string_view text,
               std::uint64_t& bytes) noexcept;  // 512m, 2g; k/m/g are powers of 1024
bool read_time(std::string_view text,
               std::uint64_t& ns) noexcept;  // 500ms, 10s, 5m, 1h; a bare 0 is allowed
bool read_share(std::string_view text, std::uint64_t& percent) noexcept;  // 85%

}  // namespace holdfast
