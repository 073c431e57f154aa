#include "clrprofiler/limited_call.h"

#include <doctest/doctest.h>
#include <errno.h>

#include <atomic>

#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

constexpr std::uint64_t kShortNs = 5'000'000;
constexpr std::uint64_t kLongNs = 20'000'000'000;
std::uint64_t within(std::uint64_t ns) { return platforms::monotonic_ns() + ns; }

struct Door {
  std::atomic<bool> open{false};
  std::atomic<int> passed{0};
  static void pass(void* self) noexcept {
    auto& door = *static_cast<Door*>(self);
    while (!door.open.load()) platforms::sleep_ns(100'000);
    ++door.passed;
  }
};

}  // namespace

TEST_CASE("a call that comes back is waited for, time after time") {
  Door door;
  door.open = true;
  LimitedCall call;
  CHECK(call.wait(0));  // there was none
  for (int i = 1; i <= 20; ++i) {
    REQUIRE(call.begin(&Door::pass, &door).ok());
    REQUIRE(call.wait(within(kLongNs)));
    CHECK(door.passed == i);
    if (i % 5 == 0) call.close();  // and begun anew
  }
}

TEST_CASE("one that does not is given up, and nothing else is called until it is back") {
  Door door;
  LimitedCall call;
  REQUIRE(call.begin(&Door::pass, &door).ok());
  CHECK_FALSE(call.wait(within(kShortNs)));
  const Result<void> second = call.begin(&Door::pass, &door);
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().code == ErrorCode::kRefused);
  door.open = true;
  call.close();
  CHECK(door.passed == 1);
  REQUIRE(call.begin(&Door::pass, &door).ok());
  call.close();
  CHECK(door.passed == 2);
}

TEST_CASE("without a thread there is no call, and the next one may be made") {
  if (!platforms::kFaultPointsBuilt) return;
  Door door;
  door.open = true;
  LimitedCall call;
  {
    const platforms::FaultScope fault(platforms::FaultPoint::kThread, {.error = EAGAIN});
    const Result<void> refused = call.begin(&Door::pass, &door);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().code == ErrorCode::kOutOfMemory);
  }
  REQUIRE(call.begin(&Door::pass, &door).ok());
  call.close();
  CHECK(door.passed == 1);
}
