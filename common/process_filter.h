// Whether the agent is wanted in this process: options in an environment variable reach every program that a script starts.
// Shape:  names with *, ? and [] in them, joined with '+'; one that matches the executable or what it runs is enough.
// Zone:   load (event).   Errors: none; a name longer than an option's text matches nothing.
#pragma once

#include <string_view>

#include "common/options.h"

namespace holdfast {

// `application`: main class, jar or assembly; empty where it is not known.
bool process_wanted(std::string_view only, const char* executable,
                    const char* application) noexcept;
// Of this process.
bool process_wanted(const Options& options, const char* application) noexcept;

}  // namespace holdfast
