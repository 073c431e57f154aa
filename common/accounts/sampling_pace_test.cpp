#include "common/accounts/sampling_pace.h"

#include <doctest/doctest.h>

#include <cmath>

#include "common/accounts/sample_weight.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kInterval = std::uint64_t{512} << 10;
constexpr std::uint64_t kMs = 1'000'000;

struct Clock {
  SamplingPace pace;
  std::uint64_t now_ns = kMs;

  explicit Clock(bool steady = false, std::uint64_t purse_ns = 0) {
    pace.open(kInterval, steady, 1, purse_ns);
  }
  // For so long: `per_second` samples of `each_ns`, or as many of them as the pace lets through.
  void run(std::uint64_t ms, std::uint64_t per_second, std::uint64_t each_ns) {
    const std::uint64_t until = now_ns + ms * kMs;
    for (; now_ns < until; now_ns += (1'000 * kMs << pace.raises()) / per_second)
      pace.took(now_ns, now_ns + each_ns);
  }
};

}  // namespace

TEST_CASE("sampling_pace: what is kept was taken with the probability of the interval") {
  constexpr int kDraws = 200'000;
  constexpr std::uint64_t kTold =
      100 << 10;  // as .NET 10 tells, or the interval itself, as a Java VM does
  for (const std::uint32_t raises : {0u, 1u, 5u}) {
    for (const std::uint64_t bytes : {24u, 5'000u, 100'000u, 300'000u, 2'000'000u}) {
      SamplingPace pace;
      pace.open(kInterval, false, 1);
      const double told_with = raises == 0 ? sample_chance(bytes, kTold) : pace.chance(bytes);
      int kept = 0;
      for (int i = 0; i < kDraws; ++i) kept += pace.keeps(bytes, told_with, raises) ? 1 : 0;
      const double share = sample_chance(bytes, kInterval << raises) / told_with;
      const double error = std::sqrt(share * (1 - share) / kDraws);
      CAPTURE(raises);
      CAPTURE(bytes);
      CHECK(std::abs(static_cast<double>(kept) / kDraws - share) <= 4 * error + 1e-9);
    }
  }
}

TEST_CASE("sampling_pace: at the distance that the VM tells at everything is kept") {
  for (const std::uint64_t interval : {std::uint64_t{0}, kInterval}) {
    SamplingPace pace;
    pace.open(interval, false, 2);
    for (const std::uint64_t bytes : {24u, 100'000u, 5'000'000u})
      for (int i = 0; i < 1'000; ++i) CHECK(pace.keeps(bytes, pace.chance(bytes), 0));
  }
}

TEST_CASE("sampling_pace: ticks of whatever distance stand for what was allocated") {
  SamplingPace pace;
  pace.open(kInterval, true, 3);
  double estimate = 0, truth = 0, variance = 0;
  for (int i = 0; i < 400'000; ++i) {
    const std::uint64_t amount = 102'400 + static_cast<std::uint64_t>(i) % 20'000;
    constexpr std::uint64_t kBytes = 40;
    truth += static_cast<double>(amount);
    if (!pace.keeps(kBytes, static_cast<double>(kBytes) / static_cast<double>(amount), 0)) continue;
    const double weight = sample_weight(kBytes, kInterval);
    estimate += weight * kBytes;
    variance += kBytes * kBytes * weight * (weight - 1);
  }
  CHECK(std::abs(estimate - truth) <= 4 * std::sqrt(variance));
}

TEST_CASE(
    "sampling_pace: samples that cost less than a hundredth of the time stay where they are") {
  Clock clock;
  clock.run(5'000, 400, 20'000);  // 0.8 %
  CHECK(clock.pace.raises() == 0);
}

TEST_CASE("sampling_pace: raised in one window until it fits, and lowered when it is far less") {
  Clock clock;
  clock.run(210, 2'000, 30'000);  // 6 %
  CHECK(clock.pace.raises() == 3);
  CHECK(clock.pace.interval_bytes(3) == 4u << 20);
  clock.run(5'000, 2'000, 30'000);  // 0.75 % of them are let through
  CHECK(clock.pace.raises() == 3);
  clock.run(450, 200, 20'000);
  CHECK(clock.pace.raises() <= 2);
  CHECK(clock.pace.raises() >= 1);
  clock.run(5'000, 200, 20'000);
  CHECK(clock.pace.raises() == 0);
}

TEST_CASE("sampling_pace: bounded, also by a thread that lost its processor") {
  Clock held_up;
  held_up.run(210, 100, 3'600'000 * kMs);
  CHECK(held_up.pace.raises() == 2);  // as if each had taken 200 us
  Clock clock;
  clock.run(20'000, 20'000'000, kMs);
  CHECK(clock.pace.raises() == SamplingPace::kMostRaises);
}

TEST_CASE("sampling_pace: what costs far too much is judged before its window ends") {
  Clock clock;
  clock.run(5, 20'000, 30'000);  // 60 % of a core, 3 ms of it so far
  CHECK(clock.pace.raises() == 0);
  clock.run(25, 20'000, 30'000);
  CHECK(clock.pace.raises() == 6);
}

TEST_CASE("sampling_pace: a purse pays for four hundredths more until it is empty, once") {
  constexpr std::uint64_t kPerSecond = 4'000, kEachNs = 20'000;  // 8 %
  Clock clock(false, SamplingPace::kPurseNs);
  clock.run(210, kPerSecond, kEachNs);
  CHECK(clock.pace.raises() == 1);
  clock.run(300, kPerSecond, kEachNs);
  CHECK(clock.pace.raises() == 1);
  clock.run(2'000, kPerSecond, kEachNs);
  CHECK(clock.pace.raises() == 3);
  clock.run(20'000, 1, kEachNs);
  CHECK(clock.pace.raises() == 0);
  clock.run(410, kPerSecond, kEachNs);
  CHECK(clock.pace.raises() == 3);
}

TEST_CASE("sampling_pace: an interval that was asked for, or that takes everything, stays") {
  Clock clock(true);
  clock.run(1'000, 2'000, 400'000);
  CHECK(clock.pace.raises() == 0);
  SamplingPace all;
  all.open(0, false, 1);
  all.took(1, 2 * kMs);
  all.took(900 * kMs, 1'000 * kMs);
  CHECK(all.raises() == 0);
}
