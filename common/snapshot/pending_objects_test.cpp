#include "common/snapshot/pending_objects.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

#include "common/arena_for_test.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kAhead = 16;
constexpr std::uint64_t kChunk = 8190;

std::vector<std::uint64_t> drain(PendingObjects& pending) {
  std::vector<std::uint64_t> out;
  for (std::uint64_t object = pending.pop(); object != 0; object = pending.pop())
    out.push_back(object);
  return out;
}

}  // namespace

TEST_CASE("a few come out in the order in which they were added") {
  TestArena ground;
  PendingObjects pending(ground.arena());
  CHECK(pending.pop() == 0);
  for (std::uint64_t i = 1; i <= kAhead; ++i) REQUIRE(pending.push(i));
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 1; i <= kAhead; ++i) wanted.push_back(i);
  CHECK(drain(pending) == wanted);
  CHECK(pending.pop() == 0);
  CHECK(ground.ledger().total_bytes() == 0);
}

TEST_CASE("behind the first ones the newest is taken first") {
  TestArena ground;
  PendingObjects pending(ground.arena());
  for (std::uint64_t i = 1; i <= kAhead + 3; ++i) REQUIRE(pending.push(i));
  std::vector<std::uint64_t> wanted;
  for (std::uint64_t i = 1; i <= kAhead; ++i) wanted.push_back(i);
  for (std::uint64_t i = kAhead + 3; i > kAhead; --i) wanted.push_back(i);
  CHECK(drain(pending) == wanted);
}

TEST_CASE("at each edge of a chunk everything comes out once") {
  for (const std::uint64_t chunks : {1u, 2u, 3u}) {
    for (const std::int64_t beside : {-1, 0, 1}) {
      TestArena ground;
      PendingObjects pending(ground.arena());
      const auto count = kAhead + chunks * kChunk + static_cast<std::uint64_t>(beside);
      for (int round = 0; round < 2; ++round) {
        for (std::uint64_t i = 1; i <= count; ++i) REQUIRE(pending.push(i));
        std::vector<std::uint64_t> out = drain(pending);
        std::sort(out.begin(), out.end());
        REQUIRE(out.size() == count);
        CHECK(out.front() == 1);
        CHECK(out.back() == count);
        CHECK(std::adjacent_find(out.begin(), out.end()) == out.end());
      }
      // The second round needed no further chunk.
      const std::uint64_t needed = chunks + (beside > 0 ? 1 : 0);
      CHECK(ground.arena().used_bytes() <= needed * (kChunk + 10) * 8);
    }
  }
}

TEST_CASE("random adding and taking: nothing is lost, nothing comes twice") {
  TestArena ground;
  std::mt19937_64 random(3);
  PendingObjects pending(ground.arena());
  std::map<std::uint64_t, int> inside;
  std::uint64_t next = 1;
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t adds = random() % 3000;
    for (std::uint64_t i = 0; i < adds; ++i) {
      REQUIRE(pending.push(next));
      ++inside[next++];
    }
    const std::uint64_t takes = random() % 3000;
    for (std::uint64_t i = 0; i < takes && !inside.empty(); ++i)
      REQUIRE(inside.erase(pending.pop()) == 1);
  }
  for (const std::uint64_t object : drain(pending)) REQUIRE(inside.erase(object) == 1);
  CHECK(inside.empty());
}

TEST_CASE("without memory for another chunk nothing is added, and what is there comes out") {
  TestArena ground(std::uint64_t{100} << 10);
  PendingObjects pending(ground.arena());
  std::uint64_t added = 0;
  while (pending.push(added + 1)) ++added;
  CHECK(added == kAhead + kChunk);
  CHECK(drain(pending).size() == added);
}
