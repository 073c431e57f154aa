// How long an attempt may still take, in steps short enough that a person's Ctrl-C is noticed.
// Shape:  a point of the monotonic clock.   Zone: offline.   Errors: none.
#pragma once

#include <algorithm>
#include <cstdint>

#include "platforms/clock.h"
#include "platforms/held_signals.h"

namespace holdfast::cli {

class Patience {
 public:
  // A VM that listens already answers within a millisecond; one at a safepoint takes seconds. 5 ms costs nothing either way.
  static constexpr std::uint64_t kStepNs = 5'000'000;

  explicit Patience(std::uint64_t ns) : end_ns_(platforms::monotonic_ns() + ns) {}
  // No longer than this one.
  Patience at_most(std::uint64_t ns) const {
    Patience shorter(ns);
    shorter.end_ns_ = std::min(shorter.end_ns_, end_ns_);
    return shorter;
  }
  static bool interrupted() { return platforms::HeldSignals::waiting(); }
  bool over() const { return left_ns() == 0 || interrupted(); }
  std::uint64_t left_ns() const {
    const std::uint64_t now_ns = platforms::monotonic_ns();
    return now_ns < end_ns_ ? end_ns_ - now_ns : 0;
  }
  void step() const { platforms::sleep_ns(std::min(kStepNs, left_ns())); }
  // Until `done()`; false: not in time.
  template <class Done>
  bool wait(Done done) const {
    for (; !over(); step())
      if (done()) return true;
    return done();
  }

 private:
  std::uint64_t end_ns_;
};

}  // namespace holdfast::cli
