#include "clrprofiler/forced_collection.h"

#include "platforms/clock.h"

namespace holdfast::clr {

namespace {

constexpr std::uint64_t kStartRetryNs = 10'000'000;
constexpr std::uint64_t kStartPatienceNs = 5'000'000'000;

}  // namespace

Result<void> ForcedCollection::get_ready(ProfilerInfo& info) noexcept {
  if (stuck()) return make_error(ErrorCode::kRefused);
  info_ = &info;
  answer_ = S_OK;
  begun_ = false;
  return {};
}

Result<void> ForcedCollection::run(Body body, void* context) noexcept {
  body_ = body;
  context_ = context;
  wanted_ = true;
  HF_CHECK_OK(call_.begin(&ForcedCollection::call_body, this));
  const bool back = wait();
  wanted_ = false;
  if (back) return check(answer_);
  const std::uint64_t allowed = begun_.load() ? patience_.ends_ns : patience_.begins_ns;
  return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(allowed));
}

Result<void> ForcedCollection::collect(ProfilerInfo& info) noexcept {
  HF_CHECK_OK(get_ready(info));
  return run(&ForcedCollection::force_once, this);
}

Result<void> ForcedCollection::call_there(LimitedCall::Body body, void* context) noexcept {
  HF_CHECK_OK(call_.begin(body, context));
  while (!call_.wait(UINT64_MAX)) continue;
  return {};
}

bool ForcedCollection::wait() noexcept {
  const std::uint64_t began = platforms::monotonic_ns();
  if (call_.wait(began + patience_.begins_ns)) return true;
  return begun_.load() && call_.wait(began + patience_.ends_ns);
}

// -- the call's own thread --

void ForcedCollection::call_body(void* collection) noexcept {
  auto& self = *static_cast<ForcedCollection*>(collection);
  self.answer_ = self.body_(self.context_);
}

HRESULT ForcedCollection::force_once(void* collection) noexcept {
  return static_cast<ForcedCollection*>(collection)->force();
}

HRESULT ForcedCollection::force() noexcept {
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
