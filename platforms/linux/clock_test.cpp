#include "platforms/clock.h"

#include <doctest/doctest.h>
#include <time.h>
#include <unistd.h>

using namespace holdfast::platforms;

TEST_CASE("durations run forward, dates are of this century, CPU time is not spent asleep") {
  const std::uint64_t start = monotonic_ns();
  const std::uint64_t cpu = thread_cpu_ns();
  ::usleep(20'000);
  CHECK(monotonic_ns() - start >= 20'000'000u);
  CHECK(thread_cpu_ns() - cpu < 20'000'000u);
  CHECK(thread_cpu_ns() >= cpu);
  const auto now_ms = static_cast<std::uint64_t>(::time(nullptr)) * 1000;
  CHECK(utc_ms() + 2000 >= now_ms);
  CHECK(utc_ms() <= now_ms + 2000);
}
