// How far apart samples are: as far as was asked for, or, where nobody asked, so far that taking them costs one hundredth of a core at most.
// Why: a sample costs as much as its stack is deep (25 us at 200 frames), and a program that allocates 2 GB a second has 4,000 of them, one
//      each 512 KB; 400 a second tell as much as anybody reads.
// Why by chance: the VM goes on telling at the distance that was asked for, and what is told is kept with the probability that makes its
//      own p = 1 - exp(-s/I) of the wider interval I. A VM that was told a new interval would have threads whose next sample is still
//      from the old one, and nobody could say which.
// Shape:  I = interval << raises. Who takes a sample says how long it took; each 200 ms that is judged: raised until it fits, or lowered by one
//         when it is a quarter of that. Draws are those of one counter (mixed_counter.h): no state per thread, no lock.
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
  // A thread that lost its processor meanwhile has not worked for us.
  static constexpr std::uint64_t kMostNs = 1'000'000;

  // `steady`: always at `interval_bytes`.
  void open(std::uint64_t interval_bytes, bool steady, std::uint64_t seed) noexcept;

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
  void judge(std::uint64_t spent_ns, std::uint64_t elapsed_ns) noexcept;

  std::uint64_t interval_ = 0;
  bool steady_ = true;
  std::atomic<std::uint64_t> draws_{0};
  std::atomic<std::uint32_t> raises_{0};
  std::atomic<std::uint64_t> spent_ns_{0};
  std::atomic<std::uint64_t> window_began_ns_{0};  // 0: no sample yet
};

}  // namespace holdfast
