#include "platforms/fault_points.h"

#include <doctest/doctest.h>

using namespace holdfast::platforms;

#if defined(HF_FAULT_POINTS)

TEST_CASE("a fault lets calls pass, fails as often as told, and is over") {
  const FaultScope fault(FaultPoint::kFork, {.after = 2, .times = 2, .error = 12});
  CHECK(fault_error(FaultPoint::kFork) == 0);
  CHECK(fault_error(FaultPoint::kFork) == 0);
  CHECK_FALSE(fault.spent());
  CHECK(fault_error(FaultPoint::kFork) == 12);
  CHECK(fault_error(FaultPoint::kFork) == 12);
  CHECK(fault.spent());
  CHECK(fault_error(FaultPoint::kFork) == 0);
}

TEST_CASE("points do not disturb each other, and a scope leaves nothing armed") {
  {
    const FaultScope fault(FaultPoint::kVmCall);
    CHECK(fault_error(FaultPoint::kFork) == 0);
  }
  CHECK(fault_error(FaultPoint::kVmCall) == 0);
}

#else

TEST_CASE("what is shipped has no fault points") {
  static_assert(!kFaultPointsBuilt);
  static_assert(fault_error(FaultPoint::kWrite) == 0);
}

#endif
