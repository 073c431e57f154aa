#include "cli/text/estimate_text.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::cli;

TEST_CASE("estimates have no more digits than their error leaves") {
  constexpr std::uint64_t kMega = 1024 * 1024;
  CHECK(estimated_bytes(0, 0) == "0 B");
  CHECK(estimated_bytes(512, 0) == "512 B");
  CHECK(estimated_bytes(61 * kMega + 300'000, 0) == "61.3 MB");
  CHECK(estimated_bytes(61 * kMega + 300'000, kMega / 2) == "61.3 MB ±<1 %");
  CHECK(estimated_bytes(1229 * kMega, 37 * kMega) == "1.2 GB ±3 %");
  CHECK(estimated_bytes(61 * kMega + 300'000, 6 * kMega) == "61 MB ±10 %");
  CHECK(estimated_bytes(618 * kMega, 100 * kMega) == "620 MB ±16 %");
  CHECK(estimated_bytes(618 * kMega, 400 * kMega) == "600 MB ±65 %");
  CHECK(estimated_bytes(1500, 100) == "1.5 KB ±7 %");
  CHECK(estimated_bytes(1500, 1000) == "1 KB ±67 %");
  CHECK(estimated_bytes(700, 100) == "700 B ±14 %");
  CHECK(estimated_bytes(999 * kMega, 100 * kMega) == "1.0 GB ±10 %");
  CHECK(estimated_bytes(100, 900) == "100 B ±>100 %");
  CHECK(rounded_bytes(61 * kMega + 300'000, 6 * kMega) == "61 MB");
  CHECK(rounded_bytes(61 * kMega + 300'000, 0) == "61.3 MB");
  CHECK(estimated_bytes(UINT64_MAX, UINT64_MAX / 10) == "16 EB ±10 %");
}

TEST_CASE("estimated counts likewise") {
  CHECK(estimated_count(4812, 0) == "4,812");
  CHECK(estimated_count(4812, 100) == "4,810 ±2 %");
  CHECK(estimated_count(4812, 481) == "4,800 ±10 %");
  CHECK(estimated_count(4812, 4000) == "5,000 ±83 %");
  CHECK(estimated_count(3, 3) == "3 ±100 %");
}
