#include "clrprofiler/suspension.h"

#include "platforms/clock.h"

namespace holdfast::clr {

Result<void> Suspension::begin() noexcept {
  const std::uint64_t until = platforms::monotonic_ns() + kPatienceNs;
  for (;;) {
    began_ns_ = platforms::monotonic_ns();
    const HRESULT answer = info_->SuspendRuntime();
    suspended_ = answer == S_OK;
    if (suspended_) return {};
    if (answer != CORPROF_E_SUSPENSION_IN_PROGRESS)
      return make_error(ErrorCode::kVm, static_cast<std::uint32_t>(answer));
    if (began_ns_ >= until)
      return make_error(ErrorCode::kRefused, static_cast<std::uint32_t>(answer));
    platforms::sleep_ns(kRetryNs);
  }
}

void Suspension::end() noexcept {
  if (!suspended_) return;
  info_->ResumeRuntime();
  suspended_ = false;
  suspended_ns_ = platforms::monotonic_ns() - began_ns_;
}

}  // namespace holdfast::clr
