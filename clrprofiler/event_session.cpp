#include "clrprofiler/event_session.h"

namespace holdfast::clr {

namespace {

// Some 20 to 60 ms the first time in a process; on a machine with too much to do, more.
constexpr std::uint64_t kPatienceNs = 10'000'000'000;

}  // namespace

Result<void> EventSession::begin(ProfilerInfo& info, const Wanted& wanted) noexcept {
  if (!info.has(Needs::kEventPipe)) return make_error(ErrorCode::kUnsupported, info.version());
  info_ = &info;
  wanted_ = wanted;
  runtime_.forget();
  HF_CHECK_OK(call_.begin(&EventSession::start_there, this));
  if (!call_.wait(platforms::monotonic_ns() + kPatienceNs))
    return make_error(ErrorCode::kDeadline, static_cast<std::int64_t>(kPatienceNs));
  call_.close();
  return check(answer_);
}

void EventSession::end() noexcept {
  if (session_ != 0 && call_.begin(&EventSession::stop_there, this)) call_.close();
  session_ = 0;
}

void EventSession::start_there(void* session) noexcept {
  auto& self = *static_cast<EventSession*>(session);
  COR_PRF_EVENTPIPE_PROVIDER_CONFIG provider{RuntimeProvider::kName, self.wanted_.keywords,
                                             self.wanted_.level, nullptr};
  self.answer_ = (*self.info_)->EventPipeStartSession(1, &provider, 0, &self.session_);
}

void EventSession::stop_there(void* session) noexcept {
  auto& self = *static_cast<EventSession*>(session);
  (*self.info_)->EventPipeStopSession(self.session_);
}

}  // namespace holdfast::clr
