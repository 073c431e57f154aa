#include "analysis/ages/age_findings.h"

#include <doctest/doctest.h>

#include <vector>

#include "analysis/lab/test_arena.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

struct AgedSnapshot {
  std::vector<ClassRow> classes;
  std::vector<ClassId> class_of;
  std::vector<std::uint32_t> units;
  std::vector<AgeCode> ages;

  Snapshot snapshot() {
    Snapshot s;
    s.catalog.classes = classes;
    s.class_of = class_of;
    s.shallow_units = units;
    s.ages = ages;
    s.age_source = AgeSource::kRanges;
    return s;
  }
  void add(ClassId id, AgeCode age, std::uint32_t unit_count) {
    class_of.push_back(id);
    ages.push_back(age);
    units.push_back(unit_count);
  }
};

}  // namespace

TEST_CASE("the ages of classes sum up to all objects, those of unknown class in the last row") {
  AgedSnapshot aged;
  aged.classes.resize(2);
  aged.add(ClassId{0}, 0, 2);
  aged.add(ClassId{1}, 7, 3);
  aged.add(ClassId{1}, 8, 4);
  aged.add(ClassId{1}, kTenured, 5);
  aged.add(ClassId{1}, kUnknownAge, 6);
  aged.add(ClassId{}, age_code(1000), 7);
  lab::TestArena arena;
  const auto found = find_ages(aged.snapshot(), arena.arena(), CancelToken{});
  REQUIRE(found.ok());
  CHECK(found->source == AgeSource::kRanges);
  REQUIRE(found->classes.size() == 3);
  CHECK(found->classes[0].objects[0] == 1);
  CHECK(found->classes[0].bytes[0] == 16);
  const AgeTotals totals = age_totals(found->classes[1]);
  CHECK(totals.objects == 4);
  CHECK(totals.bytes == 8 * (3 + 4 + 5 + 6));
  CHECK(totals.old_objects == 2);  // 8 collections, and tenured
  CHECK(totals.old_bytes == 8 * (4 + 5));
  CHECK(found->classes[1].distinct_ages() == 2);
  CHECK(found->classes[2].objects[age_range(1000)] == 1);

  ClassAges sum = found->classes[1];
  add(sum, found->classes[2]);
  CHECK(age_totals(sum).old_objects == 3);
  CHECK(sum.distinct_ages() == 3);
}

TEST_CASE("where the rows do not fit the pass is left out, and a cancelled one ends") {
  AgedSnapshot aged;
  aged.classes.resize(1000);
  aged.add(ClassId{0}, 0, 2);
  lab::TestArena small(64 << 10);
  const auto refused = find_ages(aged.snapshot(), small.arena(), CancelToken{});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().code == ErrorCode::kOutOfBudget);
  CancelToken cancelled;
  cancelled.cancel();
  lab::TestArena arena;
  CHECK_FALSE(find_ages(aged.snapshot(), arena.arena(), cancelled).ok());
}
