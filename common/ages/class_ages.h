// The ages of one class's objects, added up: what a report tells of a class.
// Shape:  objects and shallow bytes by age range, and which codes there were at all: 352 bytes.
// Zone:   child, worker.   Errors: none.
#pragma once

#include <bit>
#include <cstdint>

#include "common/ages/object_age.h"

namespace holdfast {

struct ClassAges {
  std::uint64_t objects[kAgeRanges] = {};
  std::uint64_t bytes[kAgeRanges] = {};
  std::uint64_t codes[4] = {};  // bit c: an object has code c

  void add(AgeCode code, std::uint64_t shallow_bytes) noexcept {
    const std::size_t range = age_range_of(code);
    ++objects[range];
    bytes[range] += shallow_bytes;
    codes[code / 64] |= std::uint64_t{1} << (code % 64);
  }
  // In how many ages its objects stand; those without a told age are not counted.
  std::uint32_t distinct_ages() const noexcept {
    constexpr std::uint64_t kUntold = std::uint64_t{3} << 62;  // kTenured, kUnknownAge
    return static_cast<std::uint32_t>(std::popcount(codes[0]) + std::popcount(codes[1]) +
                                      std::popcount(codes[2]) + std::popcount(codes[3] & ~kUntold));
  }
};

}  // namespace holdfast
