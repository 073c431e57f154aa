// The runtime suspended by us, for as long as this lives.
// Why retried: while a collection runs, ours or a background one's end, the runtime answers 0x80131388; it soon ends.
// Shape:  begin() tries every kRetryNs until kPatienceNs are over. Between begin() and end(): no call that may collect or wait, no
//         managed code, no lock that a managed thread may hold.
// Zone:   capture, on a thread that the runtime does not know or that has called ForceGC. .NET 9 and later.
// Errors: begin(): kVm with the HRESULT; kRefused when somebody else suspends all the time.
#pragma once

#include "clrprofiler/profiler_info.h"

namespace holdfast::clr {

class Suspension {
 public:
  explicit Suspension(ProfilerInfo& info) noexcept : info_(info) {}
  ~Suspension() { end(); }
  Suspension(const Suspension&) = delete;
  Suspension& operator=(const Suspension&) = delete;

  Result<void> begin() noexcept;
  void end() noexcept;
  std::uint64_t suspended_ns() const noexcept { return suspended_ns_; }

 private:
  static constexpr std::uint64_t kRetryNs = 500'000;
  static constexpr std::uint64_t kPatienceNs = 10'000'000'000;

  ProfilerInfo& info_;
  bool suspended_ = false;
  std::uint64_t began_ns_ = 0;
  std::uint64_t suspended_ns_ = 0;
};

}  // namespace holdfast::clr
