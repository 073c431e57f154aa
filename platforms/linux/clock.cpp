#include "platforms/clock.h"

#include <errno.h>
#include <time.h>

#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

namespace {

std::uint64_t read_ns(clockid_t clock) noexcept {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace

std::uint64_t monotonic_ns() noexcept { return read_ns(CLOCK_MONOTONIC); }
std::uint64_t utc_ms() noexcept { return read_ns(CLOCK_REALTIME) / 1'000'000u; }
std::uint64_t thread_cpu_ns() noexcept { return read_ns(CLOCK_THREAD_CPUTIME_ID); }

void sleep_ns(std::uint64_t ns) noexcept {
  timespec left{static_cast<time_t>(ns / 1'000'000'000u), static_cast<long>(ns % 1'000'000'000u)};
  while (raw_syscall(SYS_nanosleep, &left, &left) == -EINTR) continue;
}

}  // namespace holdfast::platforms
