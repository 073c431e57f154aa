// on=growth: cheap histograms at intervals, a statistical test for growing classes, then one extended dump that shows what holds
// them (staged escalation).
// Why: a leak is best looked at while it is small and the application still has time; nobody has to be there when it begins.
// Shape:  armed, it watches the engine as `watch` does and wants a histogram of what is reachable every kShortestIntervalNs, or as seldom as
//         kWatchCostDivisor demands, times what growing_classes.h has widened its window by. Memory while armed: kHeldBytes, and the
//         engine's for watching. Where garbage cannot be left out (no frozen capture), only the first histogram after each full
//         collection counts, if the VM counts those; else every one.
//         A class that was dumped for is dumped for again when it has doubled. The gate's rules hold: a request within the
//         cooldown is refused, and made again after the next sample; one whose dump failed after kIntervalsAfterFailure.
// Zone:   open(): load, before the engine's vm_ready(). arm(): VM init, worker. close(): VM death. describe(), fired(): any. The rest: worker.
// Errors: open(): kOutOfMemory, kTooMany (observers). What keeps an armed one from working is in describe().
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "common/dump_engine.h"
#include "common/triggers/growing_classes.h"

namespace holdfast {

class Growth {
 public:
  // Twenty-four samples make an alarm: two minutes, more than most programs take to fill their caches.
  static constexpr std::uint64_t kShortestIntervalNs = 5'000'000'000;
  static constexpr std::uint64_t kIntervalsAfterFailure = 12;
  static constexpr std::size_t kHeldBytes = sizeof(GrowthSeries);
  static constexpr std::size_t kMaxStateText = 200;

  Growth() = default;
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  ~Growth();

  Result<void> open(DumpEngine& engine) noexcept;
  // On or off from now on; a new interval counts from the next sample.
  void arm(bool on, std::uint64_t interval_ns = kShortestIntervalNs) noexcept;
  // Before the engine's close(): nothing more fires; the memory goes back with the loop's last tasks.
  void close() noexcept { arm(false); }

  // One line for `status`: "3 classes grow: shop.Session +12.0 MB/min (p<0.001)". How long it is.
  std::size_t describe(std::span<char> out) const noexcept;
  std::uint32_t fired() const noexcept { return fired_.load(std::memory_order_relaxed); }

  std::size_t samples_for_test() const noexcept { return classes_.samples(); }
  // A histogram that somebody had taken; the wiring calls it, and tests do.
  void on_histogram(const ClassHistogram& histogram, const CollectionFigures& collections) noexcept;

 private:
  static void apply(void* growth) noexcept;
  static void want(void* growth) noexcept;
  static void look(void* growth) noexcept;
  void begin() noexcept;
  void end() noexcept;
  bool take_memory() noexcept;
  void give_memory_back() noexcept;
  bool is_clean(const ClassHistogram& histogram, const CollectionFigures& collections) noexcept;
  bool is_wanted_kind(const ClassHistogram& histogram) noexcept;
  void schedule(const ClassHistogram& histogram) noexcept;
  void judge() noexcept;
  void hear_outcome() noexcept;
  void request_dump(const GrowthJudgment& judgment) noexcept;
  void say(const char* format, ...) noexcept __attribute__((format(printf, 2, 3)));

  DumpEngine* engine_ = nullptr;
  GrowthSeries* series_ = nullptr;  // reserved by open(), committed while armed

  // -- the loop thread's --
  bool armed_ = false;
  GrowingClasses classes_;
  std::uint32_t sequence_seen_ = 0;
  std::uint32_t refused_seen_ = 0;
  std::uint64_t sampled_at_ms_ = 0;
  std::uint64_t interval_ns_ = kShortestIntervalNs;
  std::uint64_t last_cost_ns_ = 0;
  std::uint64_t whole_seen_ = kUnknownCount;
  std::uint32_t in_place_in_a_row_ = 0;
  std::uint32_t dump_number_ = 0;  // of the dump that was asked for, until it ends
  std::uint64_t ask_from_ns_ = 0;
  bool reachable_ = false;  // what the samples are of
  bool news_ = false;       // a sample was added since the last judgment

  std::atomic<std::uint32_t> fired_{0};
  mutable platforms::Mutex mutex_;
  bool wanted_ HF_GUARDED_BY(mutex_) = false;
  std::uint64_t wanted_interval_ns_ HF_GUARDED_BY(mutex_) = kShortestIntervalNs;
  char state_[kMaxStateText] HF_GUARDED_BY(mutex_) = "off";
};

}  // namespace holdfast
