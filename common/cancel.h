// A cancel token: set by whoever withdraws a dump (a person, an exiting VM), looked at inside every pass.
// Shape:  one atomic reason and an optional deadline; looked at every few thousand steps.
// Zone:   any.   Errors: check() answers kCancelled or kDeadline.
#pragma once

#include <atomic>
#include <cstdint>

#include "common/result.h"

namespace holdfast {

// Objects, nodes or references that a pass handles between two looks at its token.
inline constexpr std::uint32_t kCancelStride = 8192;

class CancelToken {
 public:
  void cancel() noexcept { cancelled_.store(true, std::memory_order_relaxed); }
  void reset() noexcept { cancelled_.store(false, std::memory_order_relaxed); }
  bool cancelled() const noexcept { return cancelled_.load(std::memory_order_relaxed); }
  Result<void> check() const noexcept {
    if (cancelled()) return make_error(ErrorCode::kCancelled);
    return {};
  }

 private:
  std::atomic<bool> cancelled_{false};
};

}  // namespace holdfast
