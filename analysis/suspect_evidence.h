// Why a finding is suspected, in sentences with numbers, and how sure we are, by rules that anyone can check.
// Shape:  confidence = kBase + 1 per percent of the held bytes (at most kMaxShare)
//           + kSteep   when no member of the group has a tenth of its bytes (half of it: kSteep / 2)
//           + kUniform when the named class has at least nine tenths of the group's bytes (six tenths: kUniform / 2)
//           + kMany    when there are 1,000 or more of them (100 or more: kMany / 2)
//           + kStrong  when only strong references lead there   + kOwnCode when a class of the application piles up
//           - kPlatformOnly when neither levels nor path nor its first frame are the application's
//           - kNobody when no single object holds them          - kSmall below 16 MB
//         at most kSoftLimit for what is softly held (the path, or entry by entry), kSpreadLimit for
//         what is spread, kRunningLimit for what only methods that run now hold, unless it piled up
//         before the dump or fills the heap (and minus kPlatformOnly); within 1 .. 100.
//         60 and more is loud.
// Zone:   worker, offline.   Errors: kOutOfBudget.
#pragma once

#include "analysis/joint_holders.h"
#include "analysis/suspect_search.h"
#include "analysis/suspects.h"

namespace holdfast::analysis {

namespace confidence {
inline constexpr int kBase = 10;
inline constexpr int kMaxShare = 50;
inline constexpr int kSteep = 10;
inline constexpr int kUniform = 10;
inline constexpr int kMany = 10;
inline constexpr int kStrong = 5;
inline constexpr int kOwnCode = 5;
inline constexpr int kPlatformOnly = 15;
inline constexpr int kNobody = 10;
inline constexpr int kSmall = 10;
inline constexpr std::uint64_t kSmallBytes = std::uint64_t{16} << 20;
inline constexpr int kSoftLimit =
    20;  // the VM frees it before it runs out of memory: a cache, seldom a leak
inline constexpr int kSpreadLimit = 30;   // an application's root object looks like this, too
inline constexpr int kRunningLimit = 55;  // work under way looks the same in one dump
inline constexpr int kLoud = 60;
}  // namespace confidence

struct SuspectCase {
  const SuspectFinding& finding;
  const GroupLevels& levels;    // empty for a single object
  std::size_t named_level = 0;  // the level that piles up
  const SuspectResult& result;  // all but confidence and evidence
  const JointHolders& joint;
};

int confidence_of(const SuspectInput& input, const SuspectCase& c) noexcept;
Result<std::span<const Evidence>> evidence_of(const SuspectInput& input, const SuspectCase& c,
                                              Arena& arena) noexcept;

}  // namespace holdfast::analysis
