// Units of time, by name.
// Zone:   any.   Errors: none.
#pragma once

#include <cstdint>

namespace holdfast {

inline constexpr std::uint64_t kNsPerMs = 1'000'000;
inline constexpr double kMsPerHour = 3'600'000;

}  // namespace holdfast
