#include <cstring>

#include "clrprofiler/heap_session.h"
#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr char16_t kRuntimeProvider[] = u"Microsoft-Windows-DotNETRuntime";

}  // namespace

std::atomic<HeapSession*> HeapSession::current_{nullptr};

void HeapSession::deliver_stopped(EVENTPIPE_PROVIDER provider, DWORD id, const BYTE* data,
                                  ULONG bytes) noexcept {
  HeapSession* const session = current_.load(std::memory_order_acquire);
  if (session != nullptr) session->on_event_stopped(provider, id, data, bytes);
}

// A provider is asked for its name once; there are two at most that a session of ours hears.
bool HeapSession::is_runtime_stopped(EVENTPIPE_PROVIDER provider) noexcept {
  if (provider == runtime_) return true;
  if (provider == stranger_) return false;
  char16_t name[sizeof kRuntimeProvider / sizeof *kRuntimeProvider + 1] = {};
  ULONG units = 0;
  const HRESULT told =
      info_->EventPipeGetProviderInfo(provider, sizeof name / sizeof *name, &units, name);
  const bool ours =
      succeeded(told) && std::memcmp(name, kRuntimeProvider, sizeof kRuntimeProvider) == 0;
  (ours ? runtime_ : stranger_) = provider;
  return ours;
}

void HeapSession::on_event_stopped(EVENTPIPE_PROVIDER provider, DWORD id, const BYTE* data,
                                   ULONG bytes) noexcept {
  if (!is_runtime_stopped(provider)) return;
  const bool was_inside = recorder_.filter().inside();
  recorder_.on_event(id, Payload{data, bytes});
  if (!was_inside && recorder_.filter().inside()) began_ns_ = platforms::monotonic_ns();
}

}  // namespace holdfast::clr
