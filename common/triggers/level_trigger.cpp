#include "common/triggers/level_trigger.h"

namespace holdfast {

void LevelTrigger::set(std::uint32_t threshold_percent) noexcept {
  *this = LevelTrigger{};
  threshold_ = threshold_percent;
}

bool LevelTrigger::reached(std::uint32_t percent, std::uint64_t now_ns) noexcept {
  if (!on()) return false;
  last_ = percent;
  if (state_ == State::kSpent && (percent <= rearms_below() || percent >= fired_ + kRearmPoints))
    state_ = State::kArmed;
  if (state_ != State::kArmed || percent < threshold_ || now_ns < ask_from_ns_) return false;
  state_ = State::kAsking;
  asked_ = percent;
  return true;
}

void LevelTrigger::answered(bool taken, std::uint64_t now_ns) noexcept {
  if (state_ != State::kAsking) return;  // set anew meanwhile
  state_ = taken ? State::kSpent : State::kArmed;
  if (taken)
    fired_ = asked_;
  else
    ask_from_ns_ = now_ns + kAskAgainNs;
}

void LevelTrigger::failed(std::uint64_t now_ns) noexcept {
  if (state_ != State::kSpent) return;
  state_ = State::kArmed;
  ask_from_ns_ = now_ns + kAfterFailureNs;
}

}  // namespace holdfast
