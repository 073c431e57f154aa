// Fault points: the places where a test can make the system say no (no pages, a full disk, no thread).
// Why: an error path that never ran is wrong. A real full disk is tried too, but not at every step.
// Shape:  one 64-bit counter a point: let `after` calls pass, then fail the next `times` with `error`.
//         Built only with HF_FAULT_POINTS (every build type but Release); without it fault_error() is
//         a constant 0 and leaves no code behind. A new place: a word in FaultPoint, and one line
//         where the system is asked:  if (const int e = fault_error(FaultPoint::kFork)) return e;
// Zone:   fault_error(): any, stopped and child included (one relaxed load). The rest: tests.
// Errors: none.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(HF_FAULT_POINTS)
#include <atomic>
#endif

namespace holdfast::platforms {

enum class FaultPoint : std::uint8_t {
  kReserve,
  kCommit,
  kDecommit,
  kCreateFile,
  kWrite,
  kSync,
  kRename,
  kSyncDirectory,
  kThread,
  kFork,
  kSocket,
  kBind,
  kAccept,
  kReadySet,
  kVmCall,    // error: the VM's own code
  kFreeDisk,  // whatever the error: not a byte is free
};
inline constexpr std::size_t kFaultPointCount = 16;

struct FaultPlan {
  std::uint32_t after = 0;  // calls that still pass, < 2^24
  std::uint32_t times = 1;  // calls that then fail, < 2^24
  std::uint16_t error = 5;  // EIO
};

#if defined(HF_FAULT_POINTS)

inline constexpr bool kFaultPointsBuilt = true;

namespace fault_detail {
// after << 40 | times << 16 | error; 0: not armed. Stands alone, so relaxed.
inline std::atomic<std::uint64_t> plans[kFaultPointCount];
inline constexpr std::uint64_t kOneAfter = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kOneTime = std::uint64_t{1} << 16;
}  // namespace fault_detail

inline void arm_fault(FaultPoint point, FaultPlan plan) noexcept {
  const std::uint64_t packed =
      plan.after * fault_detail::kOneAfter + plan.times * fault_detail::kOneTime + plan.error;
  fault_detail::plans[static_cast<std::size_t>(point)].store(packed, std::memory_order_relaxed);
}

// The error that this call shall end with, or 0: go on.
inline int fault_error(FaultPoint point) noexcept {
  auto& plan = fault_detail::plans[static_cast<std::size_t>(point)];
  std::uint64_t now = plan.load(std::memory_order_relaxed);
  while (now != 0) {
    const bool passes = now >= fault_detail::kOneAfter;
    const bool spent = !passes && now < fault_detail::kOneTime;
    if (spent) return 0;
    const std::uint64_t next = now - (passes ? fault_detail::kOneAfter : fault_detail::kOneTime);
    if (!plan.compare_exchange_weak(now, next, std::memory_order_relaxed)) continue;
    return passes ? 0 : static_cast<int>(now & 0xFFFFu);
  }
  return 0;
}

// Arms a point for as long as it lives.
class FaultScope {
 public:
  explicit FaultScope(FaultPoint point, FaultPlan plan = {}) noexcept : point_(point) {
    arm_fault(point, plan);
  }
  ~FaultScope() { fault_detail::plans[static_cast<std::size_t>(point_)].store(0); }
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
  // Every call that was to fail has failed.
  bool spent() const noexcept {
    return fault_detail::plans[static_cast<std::size_t>(point_)].load() < fault_detail::kOneTime;
  }

 private:
  FaultPoint point_;
};

#else

inline constexpr bool kFaultPointsBuilt = false;
constexpr int fault_error(FaultPoint) noexcept { return 0; }

// Arms nothing: a test that wants more asks kFaultPointsBuilt first.
class FaultScope {
 public:
  explicit FaultScope(FaultPoint, FaultPlan = {}) noexcept {}
  ~FaultScope() {}  // NOLINT(modernize-use-equals-default): so that it counts as used
  FaultScope(const FaultScope&) = delete;
  FaultScope& operator=(const FaultScope&) = delete;
  bool spent() const noexcept { return false; }
};

#endif

}  // namespace holdfast::platforms
