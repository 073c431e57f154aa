// Whether an event of a session is the runtime's own, or another provider's (one comes whenever a session stops).
// Shape:  a provider is asked for its name once; a session of ours hears two at most.
// Zone:   any, stopped included: no call but EventPipeGetProviderInfo and memcmp. Any number of threads.
// Errors: a provider whose name is not told is a stranger.
#pragma once

#include <atomic>
#include <cstring>

#include "clrprofiler/com.h"

namespace holdfast::clr {

class RuntimeProvider {
 public:
  static constexpr char16_t kName[] = u"Microsoft-Windows-DotNETRuntime";

  bool is(ICorProfilerInfo& info, EVENTPIPE_PROVIDER provider) noexcept {
    if (provider == runtime_.load(std::memory_order_relaxed)) return true;
    if (provider == stranger_.load(std::memory_order_relaxed)) return false;
    char16_t name[sizeof kName / sizeof *kName + 1] = {};
    ULONG units = 0;
    const HRESULT told =
        info.EventPipeGetProviderInfo(provider, sizeof name / sizeof *name, &units, name);
    const bool ours = succeeded(told) && std::memcmp(name, kName, sizeof kName) == 0;
    (ours ? runtime_ : stranger_).store(provider, std::memory_order_relaxed);
    return ours;
  }
  void forget() noexcept { runtime_ = stranger_ = 0; }

 private:
  std::atomic<EVENTPIPE_PROVIDER> runtime_{0};
  std::atomic<EVENTPIPE_PROVIDER> stranger_{0};
};

}  // namespace holdfast::clr
