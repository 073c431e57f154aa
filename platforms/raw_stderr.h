// Lines to stderr without stdio: one write per line, so that lines of several threads do not mix.
// Zone:   any but stopped.   Errors: none; a closed stderr is ignored.
#pragma once

#include <string_view>

namespace holdfast::platforms {

void write_stderr_line(std::string_view line) noexcept;

}  // namespace holdfast::platforms
