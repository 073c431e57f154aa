// An option's value as text that could be given again: in a report, and to a person who asks what is in force.
// Shape:  a pure function; texts that are numbers or words are written into the caller's OptionText, paths are views of the options.
// Zone:   worker, child.   Errors: none; a key that has no value answers an empty text.
#pragma once

#include <cstddef>
#include <string_view>

#include "common/options.h"

namespace holdfast {

inline constexpr std::size_t kMaxPrintedValue = 80;
using OptionText = char[kMaxPrintedValue];

std::string_view option_text(const Options& options, std::string_view key,
                             OptionText& room) noexcept;

}  // namespace holdfast
