// Reads of this process's own memory that cannot fault: for what somebody else's pointer and length claim.
// Shape:  one file of the system's, opened and closed; some 3 us, and a copy.
// Zone:   capture, worker; never stopped or child.
// Errors: what is not mapped ends the read; 0: nothing could be read, or the system does not let us.
#pragma once

#include <cstddef>

namespace holdfast::platforms {

// How many of the bytes are in `to` now.
std::size_t read_own_memory(const void* from, std::byte* to, std::size_t bytes) noexcept;

}  // namespace holdfast::platforms
