// How many collections an object has survived, in one byte.
// Why a byte: an object graph has one for each object, and what is asked of ages is whether they are small, spread, or large.
// Shape:  a code is exact up to 127 collections; above that eight codes share each doubling, up to kLargestTold (a code's least age is at
//         most an eighth too small). kTenured: the object stands where its VM keeps no age, because it was old by then. kUnknown: not told.
//         An age range is a doubling: 0, 1, 2-3, 4-7, 8-15 ... 65,536 and more, then tenured, then unknown.
// Zone:   any.   Errors: none.
// Source: SAP, object age detection in garbage collection heaps, US 7904493 (ages in ranges).
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace holdfast {

using AgeCode = std::uint8_t;

inline constexpr AgeCode kTenured = 254;
inline constexpr AgeCode kUnknownAge = 255;
inline constexpr std::uint32_t kExactAges = 128;          // codes 0 .. 127 are ages
inline constexpr std::uint32_t kAgeCodesPerDoubling = 8;  // from there on
inline constexpr AgeCode kOldestCode = 253;

// Where the ages of a dump are from.
enum class AgeSource : std::uint8_t {
  kNone,
  kHeader,  // the object's header, while it is young; the rest is tenured
  kRanges   // survived address ranges, as the collector told them
};

constexpr AgeCode age_code(std::uint64_t collections) noexcept {
  if (collections < kExactAges) return static_cast<AgeCode>(collections);
  const auto doubling = static_cast<std::uint32_t>(std::bit_width(collections)) - 8;  // 128: 0
  const std::uint64_t eighth = (collections >> (doubling + 4)) & 7u;
  const std::uint64_t code = kExactAges + doubling * kAgeCodesPerDoubling + eighth;
  return code < kOldestCode ? static_cast<AgeCode>(code) : kOldestCode;
}

// The smallest age that has this code; 0 for kTenured and kUnknownAge.
constexpr std::uint64_t least_age(AgeCode code) noexcept {
  if (code < kExactAges) return code;
  if (code > kOldestCode) return 0;
  const std::uint32_t above = code - kExactAges;
  const std::uint32_t doubling = above / kAgeCodesPerDoubling;
  return (std::uint64_t{8} + above % kAgeCodesPerDoubling) << (doubling + 4);
}

inline constexpr std::uint64_t kLargestTold = least_age(kOldestCode);

// -- ranges --

inline constexpr std::size_t kAgeDoublings = 18;  // 0, 1, 2-3, 4-7 ... 65,536 and more
inline constexpr std::size_t kTenuredRange = kAgeDoublings;
inline constexpr std::size_t kUnknownRange = kAgeDoublings + 1;
inline constexpr std::size_t kAgeRanges = kAgeDoublings + 2;

constexpr std::size_t age_range(std::uint64_t collections) noexcept {
  const auto doubling = static_cast<std::size_t>(std::bit_width(collections));
  return doubling < kAgeDoublings ? doubling : kAgeDoublings - 1;
}
constexpr std::size_t age_range_of(AgeCode code) noexcept {
  if (code == kTenured) return kTenuredRange;
  if (code == kUnknownAge) return kUnknownRange;
  return age_range(least_age(code));
}
// The smallest age of a range; of the last two 0.
constexpr std::uint64_t range_begin(std::size_t range) noexcept {
  return range == 0 || range >= kAgeDoublings ? 0 : std::uint64_t{1} << (range - 1);
}

}  // namespace holdfast
