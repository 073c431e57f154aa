// A class file in, the same class out with its allocations counted and its account kept in step with the stack.
// Why a pure function over bytes: it runs in ClassFileLoadHook, in any thread, at any time, on whatever an application or another
//      agent hands over. It asks no VM, takes no lock, allocates nothing, and reads and writes only what it was given.
// Shape:  one pass over the methods. What is written first lies where it would without new constants, and is moved behind them at
//         the end. O(class file). `out`: kRoomFactor times the class and kRoomBytes more was enough for every class seen; what
//         does not fit is left alone. `in` and `out` must not overlap.
// Zone:   event, offline.
// Errors: none leave it: a class or a method that cannot be rewritten stays as it was, and the result says how many and why.
// Source: The Java Virtual Machine Specification, chapter 4; Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in
//         Java, section 5.
#pragma once

#include <array>
#include <cstdint>

#include "jvmti/rewriting/left_alone.h"
#include "jvmti/rewriting/rewrite_plan.h"
#include "jvmti/rewriting/scratch.h"

namespace holdfast::jvmti {

inline constexpr std::size_t kRoomFactor = 4;
inline constexpr std::size_t kRoomBytes = 16384;

enum class RewriteOutcome : std::uint8_t {
  kUnchanged,  // nothing in it is to be rewritten, or nothing could be
  kRewritten,
  kLeftAlone,  // the whole class; `reason` says why
};

struct RewriteResult {
  RewriteOutcome outcome = RewriteOutcome::kUnchanged;
  LeftAlone reason = LeftAlone::kNo;
  std::size_t bytes = 0;  // of the new class; 0 unless rewritten
  std::uint32_t methods = 0;
  std::uint32_t methods_rewritten = 0;
  std::uint32_t methods_bracketed = 0;  // of them: entered and left
  std::uint32_t sites = 0;              // that are counted
  std::uint64_t code_bytes_before = 0;
  std::uint64_t code_bytes_after = 0;
  std::size_t scratch_peak_bytes = 0;
  std::array<std::uint32_t, kLeftAloneReasons> methods_left_alone{};  // by reason
};

RewriteResult rewrite_class(std::span<const std::byte> in, const RewritePlan& plan,
                            Scratch& scratch, std::span<std::byte> out) noexcept;

}  // namespace holdfast::jvmti
