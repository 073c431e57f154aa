// How many of its random inputs a test of an algorithm tries: all where code is optimised, one in ten elsewhere.
// Why: without optimisation, and more so under sanitizers, a thousand graphs take a minute and find what the first hundred do: a
//      read beyond an array, an assertion. What only the rare graph shows is a wrong figure, and a figure needs no sanitizer.
//      The optimised build tries them all; with HF_ALL_TRIES=1 in the environment every build does.
// Shape:  for (std::uint64_t seed = 1; seed <= tries(1000); ++seed). The first seeds, so a failure is the same everywhere.
// Zone:   tests.   Errors: none.
#pragma once

#include <cstdint>

namespace holdfast {

constexpr std::uint64_t kOneTryIn = 10;
constexpr std::uint64_t kLeastTries =
    20;  // so that every kind that a test deals out by its seed's remainder comes up

bool all_tries();
// `all`, or a tenth of them, but at least kLeastTries (or `all`, when these are fewer).
std::uint64_t tries(std::uint64_t all);
std::uint64_t tries_of(std::uint64_t all, bool whole);

}  // namespace holdfast
