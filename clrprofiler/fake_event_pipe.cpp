#include "clrprofiler/fake_event_pipe.h"

#include <algorithm>
#include <string_view>
#include <thread>

#include "clrprofiler/callback.h"

namespace holdfast::clr {

namespace {

// Of the calling thread, as the runtime keeps it.
thread_local bool is_managed = false;
thread_local bool has_forced = false;

constexpr std::uint64_t kWantedKeywords = 0x100001;
constexpr std::uint64_t kAgeKeywords = 0x400001;

}  // namespace

HRESULT FakeEventPipe::synchronous_answer() {
  return is_managed && !has_forced ? CORPROF_E_UNSUPPORTED_CALL_SEQUENCE : S_OK;
}

DWORD FakeEventPipe::version_of(std::uint32_t id) {
  if (id == kGcStart) return 2;
  return id == kGcEnd ? 1 : 0;
}

void FakeEventPipe::deliver(const FakeEvent& event, EVENTPIPE_PROVIDER provider, DWORD version) {
  if (open_sessions == 0 || (high_mask_ & COR_PRF_HIGH_MONITOR_EVENT_PIPE) == 0) return;
  callback_object().EventPipeEventDelivered(provider, event.id, version, 0, nullptr,
                                            static_cast<ULONG>(event.bytes.size()),
                                            event.bytes.data(), nullptr, nullptr, 0, 0, nullptr);
}

void FakeEventPipe::deliver(const FakeEvents& events) {
  for (const FakeEvent& event : events) deliver(event);
}

void FakeEventPipe::deliver_elsewhere(const FakeEvents& events) {
  std::thread([&] { deliver(events); }).join();
}

HRESULT FakeEventPipe::start(const COR_PRF_EVENTPIPE_PROVIDER_CONFIG& provider,
                             EVENTPIPE_SESSION* session) {
  if (suspended_ != 0) ++misuses_;
  if (start_answer != S_OK) return start_answer;
  if (provider.keywords != kWantedKeywords && provider.keywords != kAgeKeywords) ++misuses_;
  is_managed = true;
  ++open_sessions;
  *session = static_cast<EVENTPIPE_SESSION>(++sessions);
  if (during_start) during_start();
  return S_OK;
}

// The session's last event is another provider's.
HRESULT FakeEventPipe::stop(EVENTPIPE_SESSION session) {
  if (session == 0 || session > static_cast<EVENTPIPE_SESSION>(sessions)) ++misuses_;
  if (during_stop) during_stop();
  deliver(EventBytes().put(std::uint32_t{7}).event(kBulkNode), kStranger);
  --open_sessions;
  return S_OK;
}

HRESULT FakeEventPipe::force_collection() {
  if (suspended_ != 0) ++misuses_;
  if (not_yet > 0 && not_yet-- > 0) return CORPROF_E_NOT_YET_AVAILABLE;
  if (force_answer != S_OK) return force_answer;
  is_managed = has_forced = true;
  ++collections;
  if (during_collection) during_collection();
  return S_OK;
}

HRESULT FakeEventPipe::provider_name(EVENTPIPE_PROVIDER provider, ULONG room, ULONG* units,
                                     WCHAR* name) {
  const std::u16string_view found =
      provider == kRuntime ? u"Microsoft-Windows-DotNETRuntime" : u"Microsoft-DotNETCore-EventPipe";
  *units = static_cast<ULONG>(found.size() + 1);
  if (room < *units) return E_INVALIDARG;
  std::copy(found.begin(), found.end(), name);
  name[found.size()] = u'\0';
  return S_OK;
}

}  // namespace holdfast::clr
