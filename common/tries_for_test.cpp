#include "common/tries_for_test.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace holdfast {

namespace {

#if defined(NDEBUG)
constexpr bool kOptimised = true;
#else
constexpr bool kOptimised = false;
#endif

bool asked_for() {
  const char* const value = std::getenv("HF_ALL_TRIES");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace

bool all_tries() {
  static const bool kAll = kOptimised || asked_for();
  return kAll;
}

std::uint64_t tries(std::uint64_t all) { return tries_of(all, all_tries()); }

std::uint64_t tries_of(std::uint64_t all, bool whole) {
  return whole ? all : std::max(all / kOneTryIn, std::min(all, kLeastTries));
}

}  // namespace holdfast
