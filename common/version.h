// The version of the agent and the command, as reports and --version show it.   Zone: any.   Errors: none.
#pragma once

namespace holdfast {

inline constexpr const char kVersion[] =
    "0.1.0";  // with CHANGELOG.md and project(holdfast VERSION ...)

}  // namespace holdfast
