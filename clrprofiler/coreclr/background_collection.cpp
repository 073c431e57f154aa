#include "clrprofiler/coreclr/background_collection.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

// Between two that follow each other there may be a millisecond.
constexpr std::uint64_t kLookNs = 200'000;

}  // namespace

BackgroundPhase BackgroundCollection::phase() const noexcept {
  if (state_ == 0) return BackgroundPhase::kNone;
  const auto phase = static_cast<BackgroundPhase>(
      __atomic_load_n(reinterpret_cast<const std::uint32_t*>(state_), __ATOMIC_ACQUIRE));
  return phase < BackgroundPhase::kNone ? phase : BackgroundPhase::kNone;
}

bool BackgroundCollection::ended_within(std::uint64_t patience_ns) const noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + patience_ns;
  while (phase() != BackgroundPhase::kNone) {
    if (platforms::monotonic_ns() >= until) return false;
    platforms::sleep_ns(kLookNs);
  }
  return true;
}

}  // namespace holdfast::clr
