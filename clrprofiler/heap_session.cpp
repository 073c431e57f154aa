#include "clrprofiler/heap_session.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kCollections = 0x1;
constexpr std::uint64_t kHeapDump = 0x100000;
constexpr UINT32 kInformational = 4;
constexpr int kMostCollections = 4;
// Right after the start of the runtime it is not ready to collect.
constexpr std::uint64_t kStartRetryNs = 10'000'000;
constexpr std::uint64_t kStartPatienceNs = 5'000'000'000;
// Events are milliseconds at most.
constexpr std::uint64_t kLookNs = 50'000;

}  // namespace

Result<void> HeapSession::run(ProfilerInfo& info, HeapRecorder& recorder) noexcept {
  if (stuck()) return make_error(ErrorCode::kRefused);
  listen(info, recorder);
  const Result<void> begun = call_.begin(&HeapSession::collect, this);
  const bool back = begun && wait_for_walk();
  stop_listening();
  HF_CHECK_OK(begun);
  if (collided_.load()) recorder.lose_event();
  return judge(back);
}

Result<void> HeapSession::call_there(LimitedCall::Body body, void* context) noexcept {
  HF_CHECK_OK(call_.begin(body, context));
  while (!call_.wait(UINT64_MAX)) continue;
  return {};
}

Result<void> HeapSession::collect_unheard(ProfilerInfo& info) noexcept {
  if (stuck()) return make_error(ErrorCode::kRefused);
  prepare(info);
  HF_CHECK_OK(call_.begin(&HeapSession::collect_alone, this));
  const bool back = call_.wait(platforms::monotonic_ns() + patience_.begins_ns);
  wanted_ = false;
  if (!back)
    return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(patience_.begins_ns));
  return check(answer_);
}

void HeapSession::prepare(ProfilerInfo& info) noexcept {
  info_ = &info;
  answer_ = S_OK;
  pause_ns_ = 0;
  began_ns_ = ended_ns_ = 0;
  runtime_ = stranger_ = 0;
  collided_ = begun_ = done_ = false;
  wanted_ = true;
}

void HeapSession::listen(ProfilerInfo& info, HeapRecorder& recorder) noexcept {
  prepare(info);
  recorder_ = &recorder;
  listening_.store(this);
}

bool HeapSession::wait_for_walk() noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  if (call_.wait(began + patience_.begins_ns)) return true;
  return begun_.load() && call_.wait(began + patience_.ends_ns);
}

void HeapSession::stop_listening() noexcept {
  wanted_ = false;
  listening_.store(nullptr);
  while (inside_.load() != 0) platforms::sleep_ns(kLookNs);
}

Result<void> HeapSession::judge(bool back) noexcept {
  if (done_.load()) {  // it may be that only the session's end hangs
    const std::uint64_t ended = ended_ns_.load();
    pause_ns_ = (ended != 0 ? ended : platforms::monotonic_ns()) - began_ns_.load();
    return {};
  }
  if (!back) {
    const std::uint64_t allowed = begun_.load() ? patience_.ends_ns : patience_.begins_ns;
    return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(allowed));
  }
  HF_CHECK_OK(check(answer_));
  return make_error(ErrorCode::kRefused);
}

// -- the call's own thread --

void HeapSession::collect(void* session) noexcept {
  auto& self = *static_cast<HeapSession*>(session);
  const COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider{
      u"Microsoft-Windows-DotNETRuntime", kCollections | kHeapDump, kInformational, nullptr};
  COR_PRF_EVENTPIPE_PROVIDER_CONFIG providers[] = {provider};
  EVENTPIPE_SESSION started = 0;
  ICorProfilerInfo& runtime = **self.info_;
  self.answer_ = runtime.EventPipeStartSession(1, providers, 0, &started);
  if (!succeeded(self.answer_)) return;
  // Once in any case, even where another tool's dump has asked for the very walk that was wanted, while the session started: without it
  // this thread may make no synchronous call. Again where a whole collection begins for other reasons: the runtime takes that one for
  // ours, and its walk is not taken.
  for (int i = 0; i < kMostCollections && succeeded(self.answer_) && (i == 0 || !self.done_.load());
       ++i)
    self.answer_ = self.force_collection();
  self.ended_ns_ = platforms::monotonic_ns();
  runtime.EventPipeStopSession(started);
}

void HeapSession::collect_alone(void* session) noexcept {
  auto& self = *static_cast<HeapSession*>(session);
  self.answer_ = self.force_collection();
}

HRESULT HeapSession::force_collection() noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kStartPatienceNs;
  HRESULT answer = CORPROF_E_NOT_YET_AVAILABLE;
  while (wanted_.load()) {
    answer = (*info_)->ForceGC();
    if (answer != CORPROF_E_NOT_YET_AVAILABLE || platforms::monotonic_ns() >= until) break;
    platforms::sleep_ns(kStartRetryNs);
  }
  return answer;
}

}  // namespace holdfast::clr
