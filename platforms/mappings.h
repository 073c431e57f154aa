// What lies behind a range of our own address space.
// Zone:   mappings_are_private: capture. is_readable: any, child included.   Errors: false also where the system does not say.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

// Whether every mapping that touches the range is private: what is written there after a fork, the other process does not see.
bool mappings_are_private(const void* start, std::size_t bytes) noexcept;

// Whether the 8 bytes at `address`, a multiple of 8, can be read. One system call and no signal.
bool is_readable(std::uint64_t address) noexcept;

}  // namespace holdfast::platforms
