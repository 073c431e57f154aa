#include "analysis/lab/delta/ddmin.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <thread>

#include "analysis/lab/random.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;
using lab::ddmin;
using lab::DdminEnd;
using lab::DdminResult;
using lab::Part;

namespace {

std::uint32_t bits_of(const Part& part) {
  std::uint32_t bits = 0;
  for (const std::uint32_t element : part) bits |= 1u << element;
  return bits;
}

bool contains(const Part& part, const Part& wanted) {
  return std::includes(part.begin(), part.end(), wanted.begin(), wanted.end());
}

bool is_minimal(std::uint32_t kept, const std::vector<bool>& shows) {
  if (!shows[kept]) return false;
  for (std::uint32_t element = 0; element < 32; ++element)
    if ((kept >> element & 1u) != 0 && shows[kept & ~(1u << element)]) return false;
  return true;
}

}  // namespace

TEST_CASE("ddmin: whatever the test answers, the result shows and is 1-minimal") {
  for (std::uint64_t seed = 1; seed <= tries(2000); ++seed) {
    INFO("seed ", seed);
    lab::Random random(seed);
    const std::uint32_t size = random.below(9);
    const std::uint32_t percent = random.below(70);
    std::vector<bool> shows(std::size_t{1} << size);
    for (std::size_t i = 0; i < shows.size(); ++i) shows[i] = random.chance(percent);
    shows.back() = true;
    std::vector<bool> asked(shows.size());
    bool twice = false, falling = false;
    const DdminResult found = ddmin(size, [&](const Part& part) {
      const std::uint32_t bits = bits_of(part);
      twice = twice || (asked[bits] && !shows[bits]);
      falling = falling || !std::is_sorted(part.begin(), part.end());
      asked[bits] = true;
      return shows[bits];
    });
    REQUIRE(found.end == DdminEnd::kMinimal);
    REQUIRE(is_minimal(bits_of(found.kept), shows));
    REQUIRE(!twice);
    REQUIRE(!falling);
  }
}

TEST_CASE("ddmin: where more never hides it, the one smallest part is found, in few tests") {
  for (std::uint64_t seed = 1; seed <= tries(300); ++seed) {
    INFO("seed ", seed);
    lab::Random random(seed);
    const std::uint32_t size = 1 + random.below(3000);
    Part wanted;
    for (std::uint32_t i = random.below(9); i > 0; --i) wanted.push_back(random.below(size));
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::uint64_t calls = 0;
    const DdminResult found =
        ddmin(size, [&](const Part& part) { return ++calls, contains(part, wanted); });
    REQUIRE(found.kept == wanted);
    REQUIRE(found.tests == calls);
    REQUIRE(found.tests <= 2 + 60 * wanted.size());
  }
}

TEST_CASE("ddmin: alternatives lead to one of them") {
  const Part first = {3, 500}, second = {77, 78, 79};
  const DdminResult found = ddmin(
      1000, [&](const Part& part) { return contains(part, first) || contains(part, second); });
  CHECK((found.kept == first || found.kept == second));
}

TEST_CASE("ddmin: never shown, always shown, an empty list") {
  const DdminResult never = ddmin(10, [](const Part&) { return false; });
  CHECK(never.end == DdminEnd::kNeverShown);
  CHECK(never.tests == 1);
  CHECK(never.kept.size() == 10);
  const DdminResult always = ddmin(1'000'000, [](const Part&) { return true; });
  CHECK(always.end == DdminEnd::kMinimal);
  CHECK(always.tests == 2);
  CHECK(always.kept.empty());
  CHECK(ddmin(0, [](const Part&) { return true; }).end == DdminEnd::kMinimal);
  CHECK(ddmin(0, [](const Part&) { return false; }).end == DdminEnd::kNeverShown);
  const DdminResult whole = ddmin(64, [](const Part& part) { return part.size() == 64; });
  CHECK(whole.end == DdminEnd::kMinimal);
  CHECK(whole.kept.size() == 64);
}

TEST_CASE("ddmin: when the tests are spent the best so far is the answer, and still shows") {
  const Part wanted = {1, 300, 301, 900};
  const auto shows = [&](const Part& part) { return contains(part, wanted); };
  const std::uint64_t needed = ddmin(1000, shows).tests;
  std::size_t before = 1000;
  for (std::uint64_t allowed = 0; allowed < needed; ++allowed) {
    const DdminResult found = ddmin(1000, shows, {allowed});
    REQUIRE(found.end == DdminEnd::kTestsSpent);
    REQUIRE(found.tests == allowed);
    REQUIRE(shows(found.kept));
    REQUIRE(found.kept.size() <= before);
    before = found.kept.size();
  }
  CHECK(ddmin(1000, shows, {needed}).end == DdminEnd::kMinimal);
}

TEST_CASE("ddmin: when the time is over the best so far is the answer") {
  const auto slow = [](const Part& part) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    return part.size() > 50;
  };
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::milliseconds(12);
  const DdminResult found = ddmin(1000, slow, {UINT64_MAX, deadline});
  CHECK(found.end == DdminEnd::kOutOfTime);
  CHECK(found.tests <= 7);
  CHECK(found.kept.size() > 50);
}
