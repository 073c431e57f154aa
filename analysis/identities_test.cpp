#include "analysis/identities.h"

#include <doctest/doctest.h>

#include <vector>

#include "common/arena_for_test.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

struct Told {
  std::uint32_t number;
  std::size_t steps;
  std::uint32_t gap_before;
};

struct Ground {
  TestArena ground;
  std::vector<Told> told;
  std::vector<TrackedObject> known;
  std::vector<std::vector<PathStep>> steps;
  std::vector<RootPathResult> paths;
  Tracking tracking;

  static void name(void* self, std::uint32_t number, const WayToObject& way) noexcept {
    static_cast<Ground*>(self)->told.push_back({number, way.steps.size(), way.gap_before});
  }
  void path_to(std::uint32_t object, std::size_t length) {
    std::vector<PathStep> all(length);
    all.back().object = ObjectId{object};
    steps.push_back(all);
  }
  Identities find() {
    paths.clear();
    for (const std::vector<PathStep>& all : steps) {
      RootPathResult path;
      path.steps = all;
      path.length = static_cast<std::uint32_t>(all.size());
      paths.push_back(path);
    }
    return find_over();
  }
  Identities find_over() {
    tracking.told = true;
    tracking.known = known;
    tracking.name = &Ground::name;
    tracking.context = this;
    auto found = find_identities(tracking, paths, {}, ground.arena());
    REQUIRE(found);
    return *found;
  }
};

}  // namespace

TEST_CASE("what is named first gets the next numbers, in the order of naming") {
  Ground ground;
  ground.tracking.next_number = 7;
  ground.path_to(30, 3);
  ground.path_to(10, 1);
  const Identities found = ground.find();
  REQUIRE(found.objects.size() == 2);
  CHECK(found.objects[0].object == ObjectId{10});
  CHECK(found.objects[0].number == 8);
  CHECK(found.objects[1].object == ObjectId{30});
  CHECK(found.objects[1].number == 7);
  CHECK(found.objects[1].first_sequence == 0);
  REQUIRE(ground.told.size() == 2);
  CHECK(ground.told[0].number == 7);
  CHECK(ground.told[0].steps == 3);
}

TEST_CASE(
    "what is known keeps its number, and the adapter hears that it was named again, without a "
    "way") {
  Ground ground;
  ground.tracking.next_number = 5;
  ground.known = {{ObjectId{3}, 1, 2, 1000}, {ObjectId{9}, 4, 2, 1000}};
  ground.path_to(9, 2);
  ground.path_to(4, 2);
  const Identities found = ground.find();
  CHECK(found.known == 2);
  REQUIRE(found.objects.size() == 3);
  CHECK(found.objects[1].number == 5);
  CHECK(found.objects[2].number == 4);
  CHECK(found.objects[2].first_sequence == 2);
  REQUIRE(ground.told.size() == 2);
  CHECK(ground.told[0].number == 4);
  CHECK(ground.told[0].steps == 0);
  CHECK(ground.told[1].number == 5);
}

TEST_CASE("an object that two paths lead to has one number") {
  Ground ground;
  ground.path_to(5, 2);
  ground.path_to(5, 2);
  CHECK(ground.find().objects.size() == 1);
  CHECK(ground.told.size() == 1);
}

TEST_CASE("what no root leads to is not named, and a gap in a path is told") {
  Ground ground;
  ground.paths.resize(2);
  std::vector<PathStep> all(kMaxPathSteps);
  all.back().object = ObjectId{8};
  ground.paths[1].steps = all;
  ground.paths[1].length = 1000;
  ground.paths[1].left_out_after = kMaxPathSteps / 2 - 1;
  CHECK(ground.find_over().objects.size() == 1);
  REQUIRE(ground.told.size() == 1);
  CHECK(ground.told[0].gap_before == kMaxPathSteps / 2);
}
