// The version that files name as their writer's.   Shape: as project(... VERSION) in CMakeLists.txt.   Zone: any.   Errors: none.
#pragma once

namespace holdfast::analysis {

inline constexpr char kToolVersion[] = "0.1.0";

}  // namespace holdfast::analysis
