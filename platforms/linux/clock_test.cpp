#include "platforms/clock.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/time.h>
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

TEST_CASE("a sleep is not cut short by signals") {
  ::signal(SIGALRM, [](int) {});
  const itimerval often{{0, 2000}, {0, 2000}};
  const itimerval never{};
  ::setitimer(ITIMER_REAL, &often, nullptr);
  const std::uint64_t start = monotonic_ns();
  sleep_ns(30'000'000);
  CHECK(monotonic_ns() - start >= 30'000'000u);
  ::setitimer(ITIMER_REAL, &never, nullptr);
  ::signal(SIGALRM, SIG_DFL);
  sleep_ns(0);
}
