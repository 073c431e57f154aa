// A trigger that fires when a level passes a threshold: once, and again only when the matter has changed.
// Why: a heap that stays above its threshold would otherwise be dumped after every collection, and one that swings around it at
//      every swing.
// Shape:  levels are whole percent. armed -> asking (reached() answered true) -> spent, or armed again when the gate refused; a
//         refused one asks again after kAskAgainNs at the earliest, so that a cooldown does not fill the counters. A spent one is
//         armed again once the level has fallen kRearmPoints below the threshold, or risen as many above its last dump's.
// Zone:   event, worker: under its owner's lock.   Errors: none.
#pragma once

#include <cstdint>

namespace holdfast {

class LevelTrigger {
 public:
  static constexpr std::uint32_t kRearmPoints = 5;
  static constexpr std::uint64_t kAskAgainNs = 1'000'000'000;
  // After a dump that failed: each failure is a line in somebody's log.
  static constexpr std::uint64_t kAfterFailureNs = 60'000'000'000;

  void set(std::uint32_t threshold_percent) noexcept;  // 0: off
  // True: a dump is to be asked for now, and answered() will be called.
  bool reached(std::uint32_t percent, std::uint64_t now_ns) noexcept;
  void answered(bool taken, std::uint64_t now_ns) noexcept;

  // The dump that was taken came to nothing: asked for again.
  void failed(std::uint64_t now_ns) noexcept;

  bool on() const noexcept { return threshold_ != 0; }
  bool spent() const noexcept { return state_ == State::kSpent; }
  std::uint32_t threshold_percent() const noexcept { return threshold_; }
  std::uint32_t last_percent() const noexcept { return last_; }    // of the last reached()
  std::uint32_t fired_percent() const noexcept { return fired_; }  // of the last dump
  std::uint32_t rearms_below() const noexcept {
    return threshold_ > kRearmPoints ? threshold_ - kRearmPoints : 0;
  }

 private:
  enum class State : std::uint8_t { kArmed, kAsking, kSpent };
  std::uint32_t threshold_ = 0;
  std::uint32_t last_ = 0;
  std::uint32_t fired_ = 0;
  std::uint32_t asked_ = 0;
  State state_ = State::kArmed;
  std::uint64_t ask_from_ns_ = 0;
};

}  // namespace holdfast
