// memory=auto: how much native memory a dump may take, when the user did not say.
// Why: the reservation happens at load. An object costs 16 B and a reference 6 B while capturing, small objects are 24 to 40 B,
//      so a graph with its analysis needs about what the heap itself may hold; and a container must keep room for the rest.
// Shape:  automatic = max_heap clamped to [kLeastBytes, limit / 2]; without a known max_heap, limit / 4 (HotSpot's own default).
//         Pure function. What is reserved and not used costs nothing but addresses, of which a process of 32 bits has few, and its
//         heap wants most: 2.25 times the answer is reserved, so it is at most 1/16 of them.
// Zone:   load.   Errors: none; kUnknownBytes counts as unknown.
#pragma once

#include <cstdint>

namespace holdfast {

struct MemoryFacts {
  std::uint64_t max_heap_bytes;  // platforms::kUnknownBytes: the VM does not say
  std::uint64_t physical_bytes;
  std::uint64_t cgroup_bytes;
  std::uint64_t address_bytes = UINTPTR_MAX;  // what a process of this width has addresses for
};

inline constexpr std::uint64_t kLeastBytes = std::uint64_t{64} << 20;

std::uint64_t automatic_memory_bytes(const MemoryFacts& facts) noexcept;

}  // namespace holdfast
