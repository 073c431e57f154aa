// The arguments of this process, as the system keeps them: who a service is over restarts, and on a VM that does not say what it runs.
// Shape:  arguments separated by NUL; a line longer than kMaxCommandLine is cut there.
// Zone:   load, capture.   Errors: what cannot be read is empty, its hash 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace holdfast {

inline constexpr std::size_t kMaxCommandLine = std::size_t{32} << 10;

// Into `out`; what was read.
std::string_view read_command_line(char (&out)[kMaxCommandLine]) noexcept;
std::uint64_t command_line_hash() noexcept;  // XXH3

}  // namespace holdfast
