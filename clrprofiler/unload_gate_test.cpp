#include "clrprofiler/unload_gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("whoever unloads waits while the gate is closed, and only then") {
  UnloadGate gate;
  gate.pass();
  std::atomic<bool> passed{false};
  std::thread unloads;
  {
    const ClosedGate closed(gate);
    unloads = std::thread([&] {
      gate.pass();
      passed = true;
    });
    platforms::sleep_ns(20'000'000);
    CHECK_FALSE(passed.load());
  }
  unloads.join();
  CHECK(passed.load());
  CHECK(gate.check().ok());
  gate.pass();
}

TEST_CASE("it does not wait for ever, and the dump hears of it") {
  UnloadGate gate;
  {
    const ClosedGate closed(gate);
    gate.pass(1'000'000);
    CHECK(gate.check().error().code == ErrorCode::kInconsistent);
  }
  const ClosedGate again(gate);
  CHECK(gate.check().ok());
}
