#include "common/ages/object_age.h"

#include <doctest/doctest.h>

using namespace holdfast;

TEST_CASE("a code's least age is the age itself, or at most an eighth below it") {
  AgeCode before = 0;
  for (std::uint64_t age = 0; age < kLargestTold; age += 1 + age / 100) {
    const AgeCode code = age_code(age);
    REQUIRE(code >= before);
    REQUIRE(code <= kOldestCode);
    REQUIRE(least_age(code) <= age);
    REQUIRE(least_age(code) >= age - age / 8);
    if (age < kExactAges) REQUIRE(least_age(code) == age);
    before = code;
  }
}

TEST_CASE("every code is that of its own least age") {
  for (std::uint32_t code = 0; code <= kOldestCode; ++code)
    REQUIRE(age_code(least_age(static_cast<AgeCode>(code))) == code);
  CHECK(kLargestTold > 4'000'000);
  CHECK(age_code(UINT64_MAX) == kOldestCode);
}

TEST_CASE("ranges are doublings, and what has no age has a range of its own") {
  CHECK(age_range(0) == 0);
  CHECK(age_range(1) == 1);
  CHECK(age_range(2) == 2);
  CHECK(age_range(3) == 2);
  CHECK(age_range(4) == 3);
  CHECK(age_range(65'535) == 16);
  CHECK(age_range(65'536) == 17);
  CHECK(age_range(UINT64_MAX) == 17);
  CHECK(age_range_of(kTenured) == kTenuredRange);
  CHECK(age_range_of(kUnknownAge) == kUnknownRange);
  for (std::size_t range = 0; range < kAgeDoublings; ++range)
    CHECK(age_range(range_begin(range)) == range);
}
