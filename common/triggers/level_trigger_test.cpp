#include "common/triggers/level_trigger.h"

#include <doctest/doctest.h>

#include <initializer_list>

using namespace holdfast;

namespace {
constexpr std::uint64_t kSecond = 1'000'000'000;
}

TEST_CASE("a level fires once when it reaches the threshold, however often it is seen there") {
  LevelTrigger trigger;
  trigger.set(85);
  CHECK_FALSE(trigger.reached(84, 0));
  REQUIRE(trigger.reached(85, 1));
  CHECK_FALSE(trigger.reached(86, 2));  // the answer is not there yet
  trigger.answered(true, 3);
  CHECK(trigger.spent());
  CHECK(trigger.fired_percent() == 85);
  for (std::uint32_t level : {85u, 89u, 84u, 81u, 88u})
    CHECK_FALSE(trigger.reached(level, kSecond));
}

TEST_CASE("a spent trigger is armed again by a fall of 5 points below the threshold") {
  LevelTrigger trigger;
  trigger.set(85);
  REQUIRE(trigger.reached(86, 0));
  trigger.answered(true, 0);
  CHECK_FALSE(trigger.reached(81, 1));
  CHECK_FALSE(trigger.reached(85, 2));
  CHECK_FALSE(trigger.reached(80, 3));  // armed, and below
  CHECK_FALSE(trigger.spent());
  CHECK(trigger.reached(85, 4));
}

TEST_CASE("a spent trigger fires again 5 points above the level of its last dump") {
  LevelTrigger trigger;
  trigger.set(85);
  REQUIRE(trigger.reached(87, 0));
  trigger.answered(true, 0);
  CHECK_FALSE(trigger.reached(91, 1));
  REQUIRE(trigger.reached(92, 2));
  trigger.answered(true, 2);
  CHECK_FALSE(trigger.reached(96, 3));
  CHECK(trigger.reached(97, 4));
}

TEST_CASE("a refused one stays armed, and asks again after a second at the earliest") {
  LevelTrigger trigger;
  trigger.set(50);
  REQUIRE(trigger.reached(60, 10));
  trigger.answered(false, 20);
  CHECK_FALSE(trigger.spent());
  CHECK_FALSE(trigger.reached(99, 20 + LevelTrigger::kAskAgainNs - 1));
  CHECK(trigger.reached(60, 20 + LevelTrigger::kAskAgainNs));
}

TEST_CASE("off never fires; a new threshold begins anew, and an old answer does not count") {
  LevelTrigger trigger;
  CHECK_FALSE(trigger.on());
  CHECK_FALSE(trigger.reached(100, 0));
  trigger.set(50);
  REQUIRE(trigger.reached(60, 0));
  trigger.set(55);
  trigger.answered(true, 1);
  CHECK_FALSE(trigger.spent());
  CHECK(trigger.reached(55, 2));
}

TEST_CASE("a threshold so low that nothing is 5 points below it is armed again at nothing") {
  LevelTrigger trigger;
  trigger.set(3);
  REQUIRE(trigger.reached(3, 0));
  trigger.answered(true, 0);
  CHECK_FALSE(trigger.reached(1, 1));
  CHECK(trigger.spent());
  CHECK_FALSE(trigger.reached(0, 2));
  CHECK_FALSE(trigger.spent());
}

TEST_CASE("a dump that came to nothing is asked for again, later") {
  LevelTrigger level;
  level.set(80);
  REQUIRE(level.reached(85, 1));
  level.answered(true, 1);
  CHECK_FALSE(level.reached(85, 2));
  level.failed(10);
  CHECK_FALSE(level.reached(85, 11));
  CHECK(level.reached(85, 10 + LevelTrigger::kAfterFailureNs));
}
