// Chance from a counter: values that look drawn, however many threads count.
// Shape:  each draw adds kStep to the counter and mixes what it then holds; a generator is its counter, so an atomic one needs no lock.
// Zone:   any.   Errors: none.
// Source: Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014 (SplitMix64).
#pragma once

#include <cstdint>

namespace holdfast {

struct MixedCounter {
  static constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15u;
  static constexpr std::uint64_t mixed(std::uint64_t z) noexcept {
    z = (z ^ (z >> 30u)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27u)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31u);
  }
};

}  // namespace holdfast
