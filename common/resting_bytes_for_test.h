// What an engine holds of its ledger while nothing goes on, for tests that look for memory that stays behind.
// Waits for the capture thread's first errand, which borrows memory: finding out that the heap cannot be frozen.
// Shape:  the engine is started, and its fake VM's heap cannot be frozen.   Units:  bytes.   Zone:  tests.
// Errors: the first errand takes longer than 20 s: the test fails.
#pragma once

#include <doctest/doctest.h>

#include "common/dump_engine.h"
#include "platforms/clock.h"

namespace holdfast {

inline std::uint64_t resting_bytes(const DumpEngine& engine) {
  const std::uint64_t until = platforms::monotonic_ns() + 20'000'000'000;
  while (engine.vm_seen().frozen_refusal.text[0] == '\0' && platforms::monotonic_ns() < until)
    platforms::sleep_ns(100'000);
  REQUIRE(engine.vm_seen().frozen_refusal.text[0] != '\0');
  return engine.ledger().total_bytes();
}

}  // namespace holdfast
