// What looks may cost: a purse for the beginning, a share of the time that passes, and a debt for looks that decide.
// Why three: a leak is named early by a handful of looks close together, which the time that has passed does not pay for yet. Classes that
//      looks have confirmed or refuted are looked at from what is earned, and so a program of two seconds pays for them with 20 ms.
//      Where all looks at a class have risen so far, the next two or three decide; to wait for what time earns would take a hundred
//      times as long as the look (measured: 19 collections became 38 to 64 where the purse was empty after the seventh look).
// Shape:  kFirstNs in the purse, spent by promising looks and by those that decide, never filled again; kDivisor-th of the time earned, kMostEarnedNs kept.
//         Looks that decide may owe up to kMostOwedNs; the time that passes pays it back before anything else.
//         A look begins when as much is earned as the last one has cost; a promising one also while anything is in the purse; one
//         that decides also while less than kMostOwedNs is owed. What it costs more is owed.
// Zone:   worker (one thread).
// Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

namespace holdfast {

// What a look would be for.
enum class LookWorth : std::uint8_t { kNone, kKnown, kPromising, kDeciding };

class LookCredit {
 public:
  static constexpr std::int64_t kFirstNs = 1'000'000'000;
  static constexpr std::int64_t kMostEarnedNs = 1'000'000'000;
  static constexpr std::int64_t kMostOwedNs = 1'000'000'000;
  static constexpr std::uint64_t kDivisor = 100;

  void begin(std::uint64_t now_ns) noexcept {
    purse_ns_ = kFirstNs;
    earned_ns_ = 0;
    seen_ns_ = now_ns;
  }

  bool can_pay(LookWorth worth, std::uint64_t now_ns) noexcept {
    earned_ns_ += static_cast<std::int64_t>((now_ns - seen_ns_) / kDivisor);
    earned_ns_ = std::min(earned_ns_, kMostEarnedNs);
    seen_ns_ = now_ns;
    worth_ = worth;
    if (worth == LookWorth::kNone) return false;
    const bool earned = earned_ns_ > 0 && earned_ns_ >= last_ns_;
    if (earned || (worth >= LookWorth::kPromising && purse_ns_ > 0)) return true;
    return worth == LookWorth::kDeciding && earned_ns_ > -kMostOwedNs;
  }

  // For the look that was asked for last.
  void pay(std::int64_t ns) noexcept {
    last_ns_ = std::min(ns, kMostEarnedNs);
    const std::int64_t from_purse =
        worth_ >= LookWorth::kPromising ? std::min(ns, purse_ns_) : std::int64_t{0};
    purse_ns_ -= from_purse;
    earned_ns_ -= ns - from_purse;
  }

 private:
  std::int64_t purse_ns_ = 0;
  std::int64_t earned_ns_ = 0;
  std::int64_t last_ns_ = 0;
  std::uint64_t seen_ns_ = 0;
  LookWorth worth_ = LookWorth::kNone;
};

}  // namespace holdfast
