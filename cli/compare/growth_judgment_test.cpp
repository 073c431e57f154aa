#include "cli/compare/growth_judgment.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr double kLeast = 1000;

Course course_of(const std::vector<double>& values, std::size_t tests = 500) {
  std::vector<double> hours;
  for (std::size_t i = 0; i < values.size(); ++i) hours.push_back(static_cast<double>(i));
  return judge_growth(hours, values, tests, kLeast).course;
}

template <class At>
std::vector<double> series(std::size_t points, At at) {
  std::vector<double> values;
  for (std::size_t i = 0; i < points; ++i) values.push_back(at(static_cast<double>(i)));
  return values;
}

}  // namespace

TEST_CASE("growth: as many points as decide, and no fewer") {
  CHECK(least_points(1) == 8);
  CHECK(least_points(500) == 9);  // 500 / 8! is 0.012, 500 / 9! is 0.0014
  CHECK(least_points(4000) == 10);
  CHECK(course_of(series(8, [](double t) { return t * 1e6; })) == Course::kTooFew);
  CHECK(course_of(series(9, [](double t) { return t * 1e6; })) == Course::kGrows);
  CHECK(course_of({}) == Course::kTooFew);
  CHECK(course_of({5}) == Course::kTooFew);
}

TEST_CASE("growth: per hour, whatever the spacing") {
  const std::vector<double> hours{0, 0.5, 2, 2.25, 4, 7, 7.5, 8, 9, 12};
  std::vector<double> values;
  values.reserve(hours.size());
  for (const double hour : hours) values.push_back(50'000 + 3000 * hour);
  const Growth growth = judge_growth(hours, values, 100, kLeast);
  CHECK(growth.course == Course::kGrows);
  CHECK(growth.per_hour == doctest::Approx(3000));
  CHECK(growth.chance_of_any == doctest::Approx(growth.chance * 100));
  CHECK(growth.chance_of_any < kTrendLevel);
}

TEST_CASE("growth: a leak under noise grows") {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, 8000);
  CHECK(course_of(series(30, [&](double t) { return 1e5 + 5000 * t + noise(random); })) ==
        Course::kGrows);
}

TEST_CASE("growth: what is level, falls, or hardly rises does not") {
  CHECK(course_of(series(20, [](double) { return 1e6; })) == Course::kSteady);
  CHECK(course_of(series(20, [](double t) { return 1e6 + t * 10; })) == Course::kSteady);
  CHECK(course_of(series(20, [](double t) { return 1e6 - t * 10'000; })) == Course::kFalls);
}

TEST_CASE("growth: a cache that fills and a step do not grow") {
  CHECK(course_of(series(40, [](double t) { return 1e6 * (1 - std::exp(-t / 3)); })) ==
        Course::kFlattens);
  CHECK(course_of(series(40, [](double t) { return t < 20 ? 1e6 + t : 2e6 + t; })) ==
        Course::kFlattens);
}

TEST_CASE("growth: a daily load is none, once it has gone down, wherever the series ends") {
  const auto load = [](double hour) { return 2e6 - 1e6 * std::cos(hour / 24 * 2 * M_PI); };
  for (std::size_t hours = 17; hours <= 64; ++hours) {
    // From five hours after the peak on.
    if (hours % 24 < 17 && hours < 24) continue;
    const Course course = course_of(series(hours, load));
    CHECK_MESSAGE(course != Course::kGrows, hours);
  }
  CHECK(course_of(series(12, load)) == Course::kGrows);  // nobody can know at noon
}

TEST_CASE("growth: a leak under a daily load grows all the same") {
  CHECK(course_of(series(64, [](double t) {
          return 2e6 + 1e6 * t - 3e5 * std::cos(t / 24 * 2 * M_PI);
        })) == Course::kGrows);
}

TEST_CASE("growth: noise is named less than once in a hundred runs of five hundred classes") {
  std::mt19937 random(20261122);
  std::normal_distribution<double> noise(1e6, 1e5);
  std::size_t named = 0;
  for (int run = 0; run < 20; ++run) {
    for (int each = 0; each < 500; ++each)
      named += course_of(series(16, [&](double) { return noise(random); })) == Course::kGrows;
  }
  CHECK(named == 0);
}
