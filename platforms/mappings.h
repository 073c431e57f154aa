// What lies behind a range of our own address space.
// Zone:   mappings_are_private, mapping_end, copy_if_readable: capture. is_readable: any, child included.
// Errors: false also where the system does not say.
#pragma once

#include <cstddef>
#include <cstdint>

namespace holdfast::platforms {

// Whether every mapping that touches the range is private: what is written there after a fork, the other process does not see.
bool mappings_are_private(const void* start, std::size_t bytes) noexcept;

// Where the mapping that the address lies in ends; 0: it lies in none.
std::uint64_t mapping_end(std::uint64_t address) noexcept;

// Whether the 8 bytes at `address`, a multiple of 8, can be read. One system call and no signal.
bool is_readable(std::uint64_t address) noexcept;

// Copies `bytes` from `address`, which may be unmapped at any moment. False: not all of it was there. One system call and no signal.
bool copy_if_readable(std::uint64_t address, void* to, std::size_t bytes) noexcept;

}  // namespace holdfast::platforms
