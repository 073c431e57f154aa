#include "clrprofiler/forced_collection.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

// Right after the start of the runtime it is not ready to collect.
constexpr std::uint64_t kStartRetryNs = 10'000'000;
constexpr std::uint64_t kStartPatienceNs = 5'000'000'000;

}  // namespace

Result<void> force_collection(ProfilerInfo& info) noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kStartPatienceNs;
  HRESULT answer = info->ForceGC();
  while (answer == CORPROF_E_NOT_YET_AVAILABLE && platforms::monotonic_ns() < until) {
    platforms::sleep_ns(kStartRetryNs);
    answer = info->ForceGC();
  }
  return check(answer);
}

}  // namespace holdfast::clr
