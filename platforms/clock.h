// Clocks: one for durations, one for dates, one for CPU time.
// Zone:   any, the stopped zone included (a vDSO read, no lock, no allocation).
// Errors: none.
#pragma once

#include <cstdint>

namespace holdfast::platforms {

std::uint64_t monotonic_ns() noexcept;
std::uint64_t utc_ms() noexcept;  // milliseconds since 1970-01-01T00:00:00Z
std::uint64_t thread_cpu_ns() noexcept;
// Sleeps this long whatever signals arrive. Any zone but stopped.
void sleep_ns(std::uint64_t ns) noexcept;

}  // namespace holdfast::platforms
