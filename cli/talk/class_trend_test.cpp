#include "cli/talk/class_trend.h"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using Series = std::vector<std::uint64_t>;

// A leak of `slope` a sample under garbage of up to `noise`.
Series series(std::size_t samples, double slope, std::uint64_t noise, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Series bytes;
  for (std::size_t i = 0; i < samples; ++i)
    bytes.push_back(1'000'000 + static_cast<std::uint64_t>(slope * static_cast<double>(i)) +
                    (noise == 0 ? 0 : random() % noise));
  return bytes;
}

}  // namespace

TEST_CASE("class trend: a leak is seen, under garbage too; nothing is said of few samples") {
  CHECK(trend_words(chance_of_rise(series(7, 1000, 0, 1))).empty());
  CHECK(trend_words(chance_of_rise(series(20, 1000, 0, 1))) == "grows");
  CHECK(trend_words(chance_of_rise(series(40, 1000, 20'000, 1))) == "grows");
  CHECK(trend_words(chance_of_rise(series(12, -1000, 0, 1))).empty());
  CHECK(trend_words(chance_of_rise(Series(30, 5))).empty());
  CHECK(trend_words(chance_of_rise(Series(200, 5))).empty());  // more than the test takes
}

TEST_CASE("class trend: noise hardly ever looks like growth") {
  int may = 0, grows = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const double chance = chance_of_rise(series(30, 0, 100'000, seed));
    may += chance < 0.01;
    grows += chance < 0.0001;
  }
  CHECK(may <= 20);
  CHECK(grows <= 1);
}
