#include "common/ages/loitering.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "common/arena_for_test.h"
#include "common/tries_for_test.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kSecond = 1000;

// Sampled once in each of so many collections, one a second, from `first` on; others fill the rest.
struct Lives {
  TestArena memory{std::uint64_t{4} << 20};
  ClassLives lives;
  explicit Lives(std::uint32_t names = 8) { REQUIRE(lives.make(names, memory.arena())); }

  void born(std::uint32_t name, std::uint64_t at, int samples = 1) {
    for (int i = 0; i < samples; ++i) lives.born(StringId{name}, at, at * kSecond + 1);
  }
  Silence silence(std::uint32_t name, std::uint64_t now) const {
    const ClassLife* const life = lives.find(StringId{name});
    return life == nullptr ? Silence() : silence_of(*life, lives.span(), now * kSecond);
  }
};

LoiteringSigns signs() { return {50'000, 100, 100'000, 1e-9, 1'000'000, 40, 200'000}; }

}  // namespace

TEST_CASE("loitering: what was sampled all the time and then no more has stopped") {
  Lives of;
  for (std::uint64_t at = 0; at < 300; ++at) {
    if (at < 200) of.born(1, at);
    of.born(2, at, 3);
  }
  const Silence stopped = of.silence(1, 300);
  CHECK(stopped.ms == 101 * kSecond - 1);
  CHECK(stopped.samples == 303);
  CHECK(stopped.chance < 1e-20);  // (199 / 300)^199
  CHECK(of.silence(2, 300).chance == 1);
  CHECK(of.silence(3, 300).chance == 1);  // never sampled
}

TEST_CASE("loitering: what comes at once counts once, and twice the longest silence is none") {
  Lives of;
  for (std::uint64_t at = 0; at < 1700; ++at) {
    if (at >= 100 && at < 1000 && at % 100 == 0) of.born(1, at, 50);
    of.born(2, at, 2);
    if (at == 150) CHECK(of.silence(1, 150).chance == 1);  // one sighting
    if (at == 1090) CHECK(of.silence(1, at).chance == 1);  // 190 since 900, and 100 before
  }
  CHECK(of.silence(1, 1700).chance ==
        doctest::Approx(0.0039).epsilon(0.1));  // nine: (800 / 1600)^8
}

TEST_CASE("loitering: neither a burst of another class nor a program that rests is a silence") {
  Lives of;
  for (std::uint64_t at = 0; at < 100; ++at) {
    of.born(1, at);
    of.born(2, at);
  }
  of.born(2, 101, 100'000);
  CHECK(of.silence(1, 101).chance == 1);  // by time it is two seconds
  Lives rests;
  for (std::uint64_t at = 0; at < 100; ++at) {
    rests.born(1, at);
    rests.born(2, at);
  }
  CHECK(rests.silence(1, 100'000).chance == 1);  // a day without samples of anything
}

TEST_CASE("loitering: of a class that was seen at the start alone each sample counts") {
  Lives of;
  of.born(1, 1, 50);
  for (std::uint64_t at = 1; at < 400; ++at) of.born(2, at, 2);
  CHECK(of.silence(1, 400).chance < 1e-9);
  CHECK(seen_at_start_alone(of.silence(1, 400).ms, 399 * kSecond));
  CHECK_FALSE(seen_at_start_alone(100 * kSecond, 399 * kSecond));
  CHECK(seen_at_start_alone(75, 100));
  CHECK_FALSE(seen_at_start_alone(74, 100));
  CHECK_FALSE(seen_at_start_alone(101, 100));
}

TEST_CASE("loitering: each sign is needed") {
  CHECK(loiters(signs()));
  LoiteringSigns one = signs();
  one.silent_collections = 3;
  CHECK_FALSE(loiters(one));
  one = signs();
  one.chance = 0.01 / 40;  // of all classes together
  CHECK_FALSE(loiters(one));
  one = signs();
  one.old_bytes = 1000;
  CHECK_FALSE(loiters(one));
  one.old_bytes = 1001;
  CHECK(loiters(one));
  one.silent_ms = 190'000;  // seen at the start alone
  CHECK_FALSE(loiters(one));
  one.old_bytes = 10'000;
  CHECK(loiters(one));
  CHECK_FALSE(loiters(LoiteringSigns()));
}

// -- populations --

namespace {

constexpr std::uint32_t kClasses = 300;
constexpr std::uint64_t kCollections = 300;
const int kRuns = all_tries() ? 20 : 2;

// How much class `c` allocates in collection `at`, of what it does otherwise; and how long the collection takes, in ms.
struct Load {
  const char* what;
  double (*share)(std::uint64_t at, std::uint32_t c);
  std::uint64_t (*ms)(std::uint64_t at);
};

std::uint64_t one_second(std::uint64_t) { return kSecond; }
std::uint64_t quick_at_the_end(std::uint64_t at) { return at < 270 ? kSecond : 50; }

const Load kLoads[] = {
    {"steady", [](std::uint64_t, std::uint32_t) { return 1.0; }, one_second},
    {"every other class four times as much in waves of 40",
     [](std::uint64_t at, std::uint32_t c) { return at / 40 % 2 == 1 && c % 2 == 1 ? 4.0 : 1.0; },
     one_second},
    {"every other class nothing for 60, after 60 (it is the third pause)",
     [](std::uint64_t at, std::uint32_t c) { return at / 60 % 2 == 0 && c % 2 == 1 ? 0.0 : 1.0; },
     one_second},
    {"every other class in one collection of 20 alone",
     [](std::uint64_t at, std::uint32_t c) {
       if (c % 2 == 0) return 1.0;
       return (at + c) % 20 == 0 ? 20.0 : 0.0;
     },
     one_second},
    {"one class a thousandfold in the last ten",
     [](std::uint64_t at, std::uint32_t c) { return at >= 290 && c == 0 ? 1000.0 : 1.0; },
     one_second},
    {"one class alone sixtyfold in the last 30, which come 20 times as fast",
     [](std::uint64_t at, std::uint32_t c) {
       if (at < 270) return 1.0;
       return c == 0 ? 60.0 : 0.05;
     },
     quick_at_the_end}};

struct Named {
  std::uint32_t by_samples = 0, by_time = 0, without_gaps = 0, as_built = 0;
};

double plain_chance(std::uint64_t first, std::uint64_t last, std::uint64_t now,
                    std::uint32_t sightings) {
  if (sightings < 2 || now <= first) return 1;
  return std::pow(static_cast<double>(last - first) / static_cast<double>(now - first),
                  sightings - 1);
}

Named run(const Load& load, std::uint64_t seed, std::uint32_t stopped) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(-2, 0.7);
  std::vector<double> rates(kClasses);
  for (double& rate : rates) rate = std::pow(10, exponent(random));
  Lives of(kClasses);
  std::uint64_t now_ms = 1;
  std::vector<std::uint32_t> samples;
  for (std::uint64_t at = 0; at < kCollections; ++at, now_ms += load.ms(at)) {
    samples.clear();
    for (std::uint32_t c = stopped; c < kClasses; ++c) {
      std::poisson_distribution<std::uint32_t> count(rates[c] * load.share(at, c));
      samples.insert(samples.end(), count(random), c);
    }
    std::shuffle(samples.begin(), samples.end(), random);
    for (std::size_t i = 0; i < samples.size(); ++i)
      of.lives.born(StringId{samples[i]}, at, now_ms + load.ms(at) * i / samples.size());
  }
  Named named;
  for (std::uint32_t c = 0; c < kClasses; ++c) {
    const ClassLife* const life = of.lives.find(StringId{c});
    if (life == nullptr) continue;
    constexpr double kLevel = kLoiteringLevel / kClasses;
    const double samples_chance = plain_chance(life->first.sample, life->last.sample,
                                               of.lives.span().samples, life->collections);
    const double time_chance =
        plain_chance(life->first.at_ms, life->last.at_ms, now_ms, life->collections);
    named.by_samples += samples_chance < kLevel ? 1 : 0;
    named.by_time += time_chance < kLevel ? 1 : 0;
    named.without_gaps += std::max(samples_chance, time_chance) < kLevel ? 1 : 0;
    named.as_built += silence_of(*life, of.lives.span(), now_ms).chance < kLevel ? 1 : 0;
  }
  return named;
}

}  // namespace

TEST_CASE("loitering: classes that go on are not named, whatever the load does") {
  for (const Load& load : kLoads) {
    Named sum;
    for (int seed = 0; seed < kRuns; ++seed) {
      const Named one = run(load, static_cast<std::uint64_t>(seed) + 1, 0);
      sum.by_samples += one.by_samples;
      sum.by_time += one.by_time;
      sum.without_gaps += one.without_gaps;
      sum.as_built += one.as_built;
    }
    MESSAGE(std::string(load.what), ": of ", kRuns * kClasses, " by samples alone ", sum.by_samples,
            ", by time alone ", sum.by_time, ", by both ", sum.without_gaps, ", and by gaps ",
            sum.as_built);
    CHECK(sum.as_built <= 1);
  }
}

TEST_CASE("loitering: a class that stops is named after a silence of some twelve of its gaps") {
  for (const double rate : {0.1, 0.3, 1.0, 3.0}) {
    std::vector<std::uint64_t> after;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      std::mt19937_64 random(seed);
      std::poisson_distribution<std::uint32_t> count(rate);
      Lives of;
      std::uint64_t at = 0;
      for (; at < 5000; ++at) {
        if (at < 300) of.born(1, at, static_cast<int>(count(random)));
        of.born(2, at, 50);
        if (at >= 300 && of.silence(1, at + 1).chance < kLoiteringLevel / kClasses) break;
      }
      after.push_back(at - 300);
    }
    std::ranges::sort(after);
    MESSAGE("sampled ", rate, " times a collection for 300: named after ", after[20], ", at most ",
            after.back());
    CHECK(static_cast<double>(after[20]) < 5 + 16 / rate);
  }
}
