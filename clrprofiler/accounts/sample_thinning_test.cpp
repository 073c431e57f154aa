#include "clrprofiler/accounts/sample_thinning.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kInterval = std::uint64_t{512} << 10;

double wanted(std::uint64_t bytes) {
  return -std::expm1(-static_cast<double>(bytes) / static_cast<double>(kInterval));
}

}  // namespace

TEST_CASE("what is kept was taken with the probability that the book reckons with") {
  SampleThinning thinning;
  thinning.set(kInterval, 1);
  constexpr int kDraws = 200'000;
  for (const std::uint64_t bytes : {24u, 5'000u, 100'000u, 300'000u, 2'000'000u}) {
    const double runtime = -std::expm1(-static_cast<double>(bytes) / kSampledEveryBytes);
    const Allocation told{1, 1, bytes, runtime};
    int kept = 0;
    for (int i = 0; i < kDraws; ++i) kept += thinning.keeps(told) ? 1 : 0;
    const double share = wanted(bytes) / runtime;
    const double error = std::sqrt(share * (1 - share) / kDraws);
    CAPTURE(bytes);
    CHECK(std::abs(static_cast<double>(kept) / kDraws - share) <= 4 * error + 1e-9);
  }
}

TEST_CASE("at the runtime's own interval everything is kept") {
  SampleThinning thinning;
  thinning.set(kSampledEveryBytes, 2);
  for (const std::uint64_t bytes : {24u, 100'000u, 5'000'000u}) {
    const double runtime = -std::expm1(-static_cast<double>(bytes) / kSampledEveryBytes);
    int kept = 0;
    for (int i = 0; i < 1'000; ++i) kept += thinning.keeps({1, 1, bytes, runtime}) ? 1 : 0;
    CHECK(kept == 1'000);
  }
}

TEST_CASE("ticks of whatever distance stand for what was allocated") {
  SampleThinning thinning;
  thinning.set(kInterval, 3);
  double estimate = 0, truth = 0, variance = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t amount = 102'400 + static_cast<std::uint64_t>(i) % 20'000;
    constexpr std::uint64_t kBytes = 40;
    truth += static_cast<double>(amount);
    if (!thinning.keeps({1, 1, kBytes, static_cast<double>(kBytes) / static_cast<double>(amount)}))
      continue;
    const double weight = 1 / wanted(kBytes);
    estimate += weight * kBytes;
    variance += kBytes * kBytes * weight * (weight - 1);
  }
  CHECK(std::abs(estimate - truth) <= 4 * std::sqrt(variance));
}
