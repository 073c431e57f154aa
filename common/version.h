// The version of the agent and the command, as reports and --version show it.
// Why a definition elsewhere: the number stands in CMakeLists.txt alone (project VERSION), and the description of the build
//      (cmake/HfVersion.cmake) changes with every commit: one file is compiled again, and what is shipped is linked again.
// Shape:  "0.1.0"; "c5bc4dc0f3a1", with "-dirty" where files were changed, or empty where no git says it. A binary of ours carries
//         both in one text that starts with kVersionMark, as what(1) finds it: "@(#)holdfast 0.1.0 c5bc4dc0f3a1".
// Zone:   any.   Errors: none.
#pragma once

#include <string_view>

namespace holdfast {

extern const std::string_view kVersion;
// In tests, which are not linked again at every commit: empty.
std::string_view build_description() noexcept;

inline constexpr std::string_view kVersionMark = "@(#)holdfast ";

}  // namespace holdfast
