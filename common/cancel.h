// A cancel token: set by whoever withdraws a dump (a person, an exiting VM), looked at inside every pass.
// Shape:  one atomic reason and an optional deadline; looked at every few thousand steps. A token inside another one is cancelled with
//         it: optional passes have a deadline of their own.
// Zone:   any.   Errors: check() answers kCancelled or kDeadline.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "common/result.h"
#include "platforms/clock.h"

namespace holdfast {

// Objects, nodes or references that a pass handles between two looks at its token.
inline constexpr std::uint32_t kCancelStride = 8192;

class CancelToken {
 public:
  CancelToken() = default;
  // Answers kDeadline once the clock (platforms::monotonic_ns) is past `deadline_ns`. `outer` outlives it.
  CancelToken(const CancelToken& outer, std::uint64_t deadline_ns) noexcept
      : outer_(&outer), deadline_ns_(deadline_ns) {}
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  void reset() noexcept { cancelled_.store(false, std::memory_order_relaxed); }
  bool cancelled() const noexcept {
    for (const CancelToken* at = this; at != nullptr; at = at->outer_)
      if (at->cancelled_.load(std::memory_order_relaxed)) return true;
    return false;
  }
  Result<void> check() const noexcept {
    if (cancelled()) return make_error(ErrorCode::kCancelled);
    if (outer_ != nullptr && platforms::monotonic_ns() > deadline_ns())
      return make_error(ErrorCode::kDeadline);
    return {};
  }
  // The earliest of its own and those around it; UINT64_MAX: there is none.
  std::uint64_t deadline_ns() const noexcept {
    std::uint64_t earliest = deadline_ns_;
    for (const CancelToken* at = outer_; at != nullptr; at = at->outer_)
      earliest = std::min(earliest, at->deadline_ns_);
    return earliest;
  }

 private:
  const CancelToken* outer_ = nullptr;
  std::uint64_t deadline_ns_ = UINT64_MAX;
  std::atomic<bool> cancelled_{false};
};

}  // namespace holdfast
