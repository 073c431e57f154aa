#include "clrprofiler/limited_call.h"

#include "platforms/clock.h"

namespace holdfast::clr {

Result<void> LimitedCall::begin(Body body, void* context) noexcept {
  if (!wait(0)) return make_error(ErrorCode::kRefused);
  body_ = body;
  context_ = context;
  {
    platforms::MutexLock lock(mutex_);
    out_ = true;
  }
  const int refused = thread_.start("hf-collect", kStackBytes, &LimitedCall::run, this);
  if (refused == 0) return {};
  platforms::MutexLock lock(mutex_);
  out_ = false;
  return make_error(ErrorCode::kOutOfMemory, refused);
}

void LimitedCall::run(void* call) noexcept {
  auto& self = *static_cast<LimitedCall*>(call);
  self.body_(self.context_);
  platforms::MutexLock lock(self.mutex_);
  self.out_ = false;
  self.changed_.notify_all();
}

bool LimitedCall::wait(std::uint64_t deadline_ns) noexcept {
  {
    platforms::MutexLock lock(mutex_);
    while (out_)
      if (!changed_.wait_until(mutex_, deadline_ns)) break;
    if (out_) return false;
  }
  thread_.join();
  return true;
}

void LimitedCall::wait() noexcept {
  constexpr std::uint64_t kLookNs = 1'000'000'000;
  while (!wait(platforms::monotonic_ns() + kLookNs)) continue;
}

}  // namespace holdfast::clr
