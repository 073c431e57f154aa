// The first words of an object, and how large that makes it.
// Shape:  the class at 0, with a collector's bits in it; an array's or a string's count behind it. Of a class: 32 bits of flags (bit 31: objects
//         have components, whose size is the lower half), the base size.
// Zone:   child, stopped (inline).   Errors: none; whoever asks has made sure that an object of a class is there.
// Source: method tables and objects as measured on .NET 8, 9 and 10; each self-check proves them again.
#pragma once

#include "clrprofiler/coreclr/runtime_layout.h"

namespace holdfast::clr {

inline constexpr std::uint64_t kObjectAlignment = 8;
inline constexpr std::uint64_t kLeastObjectBytes = 24;

inline Address class_of(const RuntimeLayout& layout, Address object) noexcept {
  return load<Address>(object) & ~layout.mark_bits;
}

// As the runtime tells it: not rounded up to where the next object may begin, but never below the least.
inline std::uint64_t bytes_of(const RuntimeLayout& layout, Address object, Address type) noexcept {
  constexpr std::uint32_t kHasComponents = 0x80000000u;
  constexpr std::uint32_t kComponentBytes = 0xFFFFu;
  const auto flags = load<std::uint32_t>(type);
  std::uint64_t bytes = load<std::uint32_t>(type + 4);
  if ((flags & kHasComponents) != 0)
    bytes += std::uint64_t{flags & kComponentBytes} *
             load<std::uint32_t>(object + layout.component_count);
  return bytes < kLeastObjectBytes ? kLeastObjectBytes : bytes;
}

constexpr std::uint64_t room_of(std::uint64_t bytes) noexcept {
  return (bytes + kObjectAlignment - 1) / kObjectAlignment * kObjectAlignment;
}

}  // namespace holdfast::clr
