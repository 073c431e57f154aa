#include "clrprofiler/module_gate.h"

#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "platforms/clock.h"

using namespace holdfast;
using namespace holdfast::clr;

TEST_CASE("whoever unloads waits while the gate is closed, and only then") {
  ModuleGate gate;
  gate.pass_unload();
  std::atomic<bool> passed{false};
  std::thread unloads;
  {
    const ClosedUnloads closed(gate);
    unloads = std::thread([&] {
      gate.pass_unload();
      passed = true;
    });
    platforms::sleep_ns(20'000'000);
    CHECK_FALSE(passed.load());
  }
  unloads.join();
  CHECK(passed.load());
  CHECK(gate.check().ok());
  gate.pass_unload();
}

TEST_CASE("it does not wait for ever, and the dump hears of it") {
  ModuleGate gate;
  {
    const ClosedUnloads closed(gate);
    gate.pass_unload(1'000'000);
    CHECK(gate.check().error().code == ErrorCode::kInconsistent);
  }
  const ClosedUnloads again(gate);
  CHECK(gate.check().ok());
}

TEST_CASE("whoever loads waits while that is closed, whatever becomes of unloads") {
  ModuleGate gate;
  gate.close_loads();
  gate.pass_unload(0);
  std::atomic<bool> passed{false};
  std::thread loads([&] {
    gate.pass_load();
    passed = true;
  });
  platforms::sleep_ns(20'000'000);
  CHECK_FALSE(passed.load());
  gate.pass_load(1'000'000);  // nobody waits for ever
  gate.open_loads();
  loads.join();
  CHECK(passed.load());
  CHECK(gate.check().ok());
  gate.note_load();
  CHECK(gate.moves() == 2);
  CHECK(gate.gone() == 1);
}
