#include "clrprofiler/heap_session.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kCollections = 0x1;
constexpr std::uint64_t kHeapDump = 0x100000;
constexpr UINT32 kInformational = 4;
constexpr int kMostCollections = 4;
// Events are milliseconds at most.
constexpr std::uint64_t kSessionLookNs = 50'000;

}  // namespace

Result<void> HeapSession::run(ProfilerInfo& info, HeapRecorder& recorder) noexcept {
  HF_CHECK_OK(collection_.get_ready(info));
  listen(info, recorder);
  const Result<void> ran = collection_.run(&HeapSession::collect, this);
  stop_listening();
  if (collided_.load()) recorder.lose_event();
  return judge(ran);
}

void HeapSession::listen(ProfilerInfo& info, HeapRecorder& recorder) noexcept {
  info_ = &info;
  recorder_ = &recorder;
  pause_ns_ = 0;
  stop_began_ns_ = began_ns_ = ended_ns_ = 0;
  runtime_.forget();
  collided_ = done_ = false;
  listening_.store(this);
}

void HeapSession::stop_listening() noexcept {
  listening_.store(nullptr);
  while (inside_.load() != 0) platforms::sleep_ns(kSessionLookNs);
}

Result<void> HeapSession::judge(const Result<void>& ran) noexcept {
  if (done_.load()) {  // it may be that only the session's end hangs
    const std::uint64_t ended = ended_ns_.load();
    pause_ns_ = (ended != 0 ? ended : platforms::monotonic_ns()) - began_ns_.load();
    return {};
  }
  HF_CHECK_OK(ran);
  return make_error(ErrorCode::kRefused);
}

// -- the call's own thread --

HRESULT HeapSession::collect(void* session) noexcept {
  auto& self = *static_cast<HeapSession*>(session);
  const COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider{
      u"Microsoft-Windows-DotNETRuntime", kCollections | kHeapDump, kInformational, nullptr};
  COR_PRF_EVENTPIPE_PROVIDER_CONFIG providers[] = {provider};
  EVENTPIPE_SESSION started = 0;
  ICorProfilerInfo& runtime = **self.info_;
  HRESULT answer = runtime.EventPipeStartSession(1, providers, 0, &started);
  if (!succeeded(answer)) return answer;
  // Once in any case, even where another tool's dump has asked for the very walk that was wanted, while the session started: without it
  // this thread may make no synchronous call. Again where a whole collection begins for other reasons: the runtime takes that one for
  // ours, and its walk is not taken.
  for (int i = 0; i < kMostCollections && succeeded(answer) && (i == 0 || !self.done_.load()); ++i)
    answer = self.collection_.force();
  std::uint64_t still = 0;  // unless the runtime has said when its threads ran again
  self.ended_ns_.compare_exchange_strong(still, platforms::monotonic_ns());
  runtime.EventPipeStopSession(started);
  return answer;
}

}  // namespace holdfast::clr
