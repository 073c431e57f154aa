// How far apart samples are: as far as was asked for, or, where nobody asked, so far that taking them costs one hundredth of a core at most,
// and at the beginning what is in a purse, too.
// Why: a sample costs as much as its stack is deep (25 us at 200 frames), and a program that allocates 2 GB a second has 4,000 of them, one
//      each 512 KB; 400 a second tell as much as anybody reads.
// Why by chance: the VM goes on telling at the distance that was asked for, and what is told is kept with the probability that makes its
//      own p = 1 - exp(-s/I) of the wider interval I. A VM that was told a new interval would have threads whose next sample is still
//      from the old one, and nobody could say which.
// Why a purse: of what allocates 10 GB a second a hundredth of a core takes a sample each 2 MB, and a class that piles up there would have
//      four of them (aging_classes.h) after 30 collections or after 50, as chance will have it.
// Shape:  I = interval << raises. Who takes a sample says how long it took; each 200 ms, or as soon as the share of these is spent,
//         it is judged: raised until it fits, or lowered by one when it is less than two fifths of that. The purse is never filled again;
//         it is no larger than what the first seconds need: loitering.h takes a class for one that goes on until the dense samples are outweighed.
//         Draws are those of one counter (mixed_counter.h): no state per thread, no lock.
// Zone:   open(): load. The rest: event, any number of threads.   Errors: none.
// Source: none.
#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast {

class SamplingPace {
 public:
  static constexpr std::uint32_t kMostRaises = 10;  // 512 KB: 512 MB
  static constexpr std::uint64_t kWindowNs = 200'000'000;
  static constexpr std::uint64_t kShare = 100;  // 1 / the share of the time that samples may take
  // A thread that lost its processor meanwhile has not worked for us; 25 us are a stack of 200 frames.
  static constexpr std::uint64_t kMostNs = 200'000;
  // What may be spent beyond the share, and 1 / the share of the time that is taken from that.
  static constexpr std::uint64_t kPurseNs = 20'000'000;
  static constexpr std::uint64_t kPurseShare = 25;
  static constexpr std::uint64_t kLeastWindowNs = 10'000'000;

  // `steady`: always at `interval_bytes`. `purse_ns`: what may be spent beyond the share.
  void open(std::uint64_t interval_bytes, bool steady, std::uint64_t seed,
            std::uint64_t purse_ns = 0) noexcept;

  std::uint32_t raises() const noexcept { return raises_.load(std::memory_order_relaxed); }
  std::uint64_t interval_bytes(std::uint32_t raises) const noexcept { return interval_ << raises; }
  // With what probability the interval itself, not raised, takes an object.
  double chance(std::uint64_t shallow_bytes) const noexcept;
  // Whether an object that was told with probability `told_with` is to be kept at interval_bytes(raises).
  bool keeps(std::uint64_t shallow_bytes, double told_with, std::uint32_t raises) noexcept;
  // A sample that was kept has been taken.
  void took(std::uint64_t began_ns, std::uint64_t ended_ns) noexcept;

 private:
  double draw() noexcept;
  static bool is_over(std::uint64_t window_began_ns, std::uint64_t now_ns,
                      std::uint64_t spent_ns) noexcept;
  void judge(std::uint64_t spent_ns, std::uint64_t elapsed_ns) noexcept;

  std::uint64_t interval_ = 0;
  bool steady_ = true;
  std::atomic<std::uint64_t> draws_{0};
  std::atomic<std::uint32_t> raises_{0};
  std::atomic<std::uint64_t> spent_ns_{0};  // in this window
  std::atomic<std::uint64_t> purse_ns_{0};
  std::atomic<std::uint64_t> window_began_ns_{0};  // 0: no sample yet
};

}  // namespace holdfast
