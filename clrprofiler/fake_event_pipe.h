// The part of a fake runtime that collects and tells of it: sessions of EventPipe, ForceGC, and events to the agent's callback.
// Shape:  the script of a test runs inside the call, on its thread: during_start, during_collection, during_stop. deliver() tells
//         somebody only while a session is open and the event mask wants it, with the versions that the real runtime sends.
//         As in the real one, a thread that starts a session is a managed one from then on, and may make synchronous calls again only
//         when its ForceGC has succeeded.
// Zone:   offline; scripts are set while no dump is taken.
// Errors: answers of the calls are set by a test; misuses() counts what hangs or aborts in the real one.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "clrprofiler/com.h"
#include "clrprofiler/heap/fake_heap_events.h"

namespace holdfast::clr {

class FakeEventPipe {
 public:
  static constexpr EVENTPIPE_PROVIDER kRuntime = 0x1000;
  static constexpr EVENTPIPE_PROVIDER kStranger = 0x2000;

  FakeEventPipe(const std::atomic<std::uint32_t>& high_mask, const std::atomic<int>& suspended)
      : high_mask_(high_mask), suspended_(suspended) {}

  std::function<void()> during_start, during_collection, during_stop;
  std::atomic<HRESULT> start_answer{S_OK};
  std::atomic<HRESULT> force_answer{S_OK};
  std::atomic<int> not_yet{0};  // so many answer that it is too early
  std::atomic<int> sessions{0};
  std::atomic<int> open_sessions{0};
  std::atomic<int> collections{0};

  void deliver(const FakeEvent& event, EVENTPIPE_PROVIDER provider = kRuntime) {
    deliver(event, provider, version_of(event.id));
  }
  void deliver(const FakeEvent& event, EVENTPIPE_PROVIDER provider, DWORD version);
  void deliver(const FakeEvents& events);
  // By a thread of the collector's, while the caller waits.
  void deliver_elsewhere(const FakeEvents& events);
  int misuses() const { return misuses_; }
  // What a synchronous call answers on this thread.
  static HRESULT synchronous_answer();

  // -- the calls --
  HRESULT start(const COR_PRF_EVENTPIPE_PROVIDER_CONFIG& provider, EVENTPIPE_SESSION* session);
  HRESULT stop(EVENTPIPE_SESSION session);
  HRESULT force_collection();
  static HRESULT provider_name(EVENTPIPE_PROVIDER provider, ULONG room, ULONG* units, WCHAR* name);

 private:
  static DWORD version_of(std::uint32_t id);

  const std::atomic<std::uint32_t>& high_mask_;
  const std::atomic<int>& suspended_;
  std::atomic<int> misuses_{0};
};

}  // namespace holdfast::clr
