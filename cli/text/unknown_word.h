// A value that has no name here: it comes from a newer agent, or stands in a report of a newer version.
// Shape:  "unknown (17)"; the text lives as long as the program. Values beyond a byte are "unknown".
// Zone:   offline.   Errors: none.
#pragma once

#include <cstddef>
#include <string_view>

namespace holdfast::cli {

std::string_view unknown_word(std::size_t value);

}  // namespace holdfast::cli
