#include "jvmti/exact/live_tags.h"

#include <doctest/doctest.h>

using namespace holdfast;
using namespace holdfast::jvmti;

TEST_CASE(
    "live_tags: all objects are followed until three quarters are used up, then fewer and fewer") {
  constexpr std::uint64_t kMost = LiveTags::kMostTags;
  CHECK(LiveTags::halvings_at(0) == 0);
  CHECK(LiveTags::halvings_at(LiveTags::kMostWithoutChance - 1) == 0);
  CHECK(LiveTags::halvings_at(LiveTags::kMostWithoutChance) == 1);
  CHECK(LiveTags::halvings_at(kMost - kMost / 8 - 1) == 1);
  CHECK(LiveTags::halvings_at(kMost - kMost / 8) == 2);
  CHECK(LiveTags::halvings_at(kMost - 1) == 22);
  CHECK(LiveTags::halvings_at(kMost) == LiveTags::kNever);
  CHECK(LiveTags::halvings_at(kMost + 1000) == LiveTags::kNever);
}
