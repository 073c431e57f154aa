#include "common/java/class_layout.h"

#include <doctest/doctest.h>

#include <vector>

using namespace holdfast;
using namespace holdfast::java;

namespace {

// 0 Object, 1 I0 {1 field}, 2 I1 extends I0 {2 fields}, 3 A implements I0 {2}, 4 B extends A implements I1, I0 {3}
struct Diamond {
  std::vector<std::uint32_t> superclass{kNoClass, kNoClass, kNoClass, 0, 3};
  std::vector<std::uint32_t> first_interface{0, 0, 0, 1, 2, 4};
  std::vector<std::uint32_t> interfaces{1, 1, 2, 1};
  std::vector<std::uint8_t> prepared{1, 1, 1, 1, 1};
  std::vector<ClassRow> rows = std::vector<ClassRow>(5);
  std::vector<std::uint32_t> seen = std::vector<std::uint32_t>(5);
  std::vector<std::uint32_t> queue = std::vector<std::uint32_t>(5);

  void lay_out() {
    const std::uint32_t fields[] = {0, 1, 2, 2, 3};
    for (std::size_t c = 0; c < rows.size(); ++c) {
      rows[c].field_count = fields[c];
      rows[c].superclass = superclass[c] != kNoClass ? ClassId{superclass[c]} : ClassId{};
    }
    lay_out_fields({superclass, first_interface, interfaces, prepared}, rows, {seen, queue});
  }
};

}  // namespace

TEST_CASE("each interface counts once, superclasses from the top, own fields last") {
  Diamond d;
  d.lay_out();
  CHECK(d.rows[2].interface_field_count == 1);
  CHECK(d.rows[3].interface_field_count == 1);
  CHECK(d.rows[3].chain_offset == 0);
  CHECK(d.rows[4].interface_field_count == 3);
  CHECK(d.rows[4].chain_offset == 2);
  CHECK(d.rows[4].first_field == 5);
}

TEST_CASE("an interface cycle that no VM should answer ends all the same") {
  Diamond d;
  d.interfaces = {2, 1, 2, 1};  // I1 extends itself
  d.lay_out();
  CHECK(d.rows[4].interface_field_count == 3);
}

TEST_CASE("a class that is not prepared names no slot, and its superclass gives the referent") {
  Diamond d;
  d.prepared[4] = 0;
  d.lay_out();
  CHECK(d.rows[4].interface_field_count == kUnknownFieldCount);
  KnownClasses known;
  known.weak = 3;
  known.referent_ordinal = 1;
  mark_kinds(known, d.rows);
  CHECK(d.rows[3].referent == Strength::kWeak);
  CHECK(d.rows[4].referent == Strength::kWeak);
  CHECK(d.rows[0].referent == Strength::kStrong);
  std::vector<ReferentRule> rules(5);
  find_referents(known, d.rows, rules);
  CHECK(rules[3].slot == 2);
  CHECK(rules[4].slot == 2);
  CHECK(strength_of(rules[4].label) == Strength::kWeak);
  CHECK(rules[0].slot == ReferentRule::kNone);
}

TEST_CASE("kinds are inherited") {
  Diamond d;
  KnownClasses known;
  known.class_loader = 3;
  known.class_class = 0;
  d.lay_out();
  mark_kinds(known, d.rows);
  CHECK((d.rows[4].flags & kClassLoaderKind) != 0);
  CHECK((d.rows[4].flags & kClassThread) == 0);
}
