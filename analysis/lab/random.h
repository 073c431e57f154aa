// Random numbers that are the same on every machine and library: SplitMix64.
// Zone:   offline.   Errors: none.
// Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators.
#pragma once

#include <cstdint>

namespace holdfast::analysis::lab {

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  // 0 .. bound-1; the bias is below 2^-32 for the bounds used here.
  std::uint32_t below(std::uint64_t bound) {
    return static_cast<std::uint32_t>((next() >> 32) * bound >> 32);
  }
  bool chance(std::uint32_t percent) { return below(100) < percent; }

 private:
  std::uint64_t state_;
};

}  // namespace holdfast::analysis::lab
