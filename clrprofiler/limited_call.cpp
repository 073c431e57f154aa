#include "clrprofiler/limited_call.h"

namespace holdfast::clr {

Result<void> LimitedCall::begin(Body body, void* context) noexcept {
  if (out()) return make_error(ErrorCode::kRefused);
  if (!thread_.running()) {
    const int refused = thread_.start("hf-collect", kStackBytes, &LimitedCall::run, this);
    if (refused != 0) return make_error(ErrorCode::kOutOfMemory, refused);
  }
  platforms::MutexLock lock(mutex_);
  body_ = body;
  context_ = context;
  out_ = true;
  changed_.notify_all();
  return {};
}

bool LimitedCall::wait(std::uint64_t deadline_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  while (out_)
    if (!changed_.wait_until(mutex_, deadline_ns)) return !out_;
  return true;
}

void LimitedCall::close() noexcept {
  if (!thread_.running()) return;
  {
    platforms::MutexLock lock(mutex_);
    while (out_) changed_.wait(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
  platforms::MutexLock lock(mutex_);
  ending_ = false;
}

// -- the call's own thread --

void LimitedCall::run(void* call) noexcept {
  auto& self = *static_cast<LimitedCall*>(call);
  while (self.call_next()) {
    platforms::MutexLock lock(self.mutex_);
    self.out_ = false;
    self.changed_.notify_all();
  }
}

// Calls it once it is there. False: there will be none.
bool LimitedCall::call_next() noexcept {
  Body body = nullptr;
  void* context = nullptr;
  {
    platforms::MutexLock lock(mutex_);
    while (!out_ && !ending_) changed_.wait(mutex_);
    if (!out_) return false;
    body = body_;
    context = context_;
  }
  body(context);
  return true;
}

}  // namespace holdfast::clr
