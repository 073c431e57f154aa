// What lies behind a range of our own address space.
// Zone:   capture.   Errors: false also where the system does not say.
#pragma once

#include <cstddef>

namespace holdfast::platforms {

// Whether every mapping that touches the range is private: what is written there after a fork, the other process does not see.
bool mappings_are_private(const void* start, std::size_t bytes) noexcept;

}  // namespace holdfast::platforms
