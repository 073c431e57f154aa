// The checksum of our files: XXH3-64, so that a flipped bit is seen before anything is interpreted.
// Why XXH3: several GB/s on any CPU, so it costs nothing beside compression; it guards against accidents, not against forgers.
// Shape:  checksum(a, b) is the hash of a followed by b.   Zone: any but stopped; no allocation.   Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace holdfast::analysis {

std::uint64_t checksum(std::span<const std::byte> first,
                       std::span<const std::byte> second = {}) noexcept;

}  // namespace holdfast::analysis
