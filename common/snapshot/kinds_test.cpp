#include "common/snapshot/kinds.h"

#include <doctest/doctest.h>

using namespace holdfast;

TEST_CASE("labels keep their kind and saturate") {
  CHECK(RefLabel::instance_field(0).is_instance_field());
  CHECK(RefLabel::static_field(7).index() == 7);
  CHECK(RefLabel::element(5).is_element());
  CHECK_FALSE(RefLabel::element(5).saturated());
  const RefLabel far = RefLabel::element(1'000'000'000);
  CHECK(far.is_element());
  CHECK(far.saturated());
  CHECK(far.index() == RefLabel::kSpecialBase - RefLabel::kElementBase - 1);
  CHECK(special(SpecialRef::kReferentWeak).is_special());
  CHECK_FALSE(special(SpecialRef::kOther).saturated());
}

TEST_CASE("only referents are weaker than strong") {
  CHECK(strength_of(RefLabel::element(3)) == Strength::kStrong);
  CHECK(strength_of(special(SpecialRef::kClassLoader)) == Strength::kStrong);
  CHECK(strength_of(special(SpecialRef::kReferentSoft)) == Strength::kSoft);
  CHECK(strength_of(special(SpecialRef::kReferentPhantom)) == Strength::kPhantom);
}
