// Which classes grow: the last histograms of the largest classes, and a statistical judgment over them.
// Why statistics: a heap breathes. What rises by chance, once, or only until a cache is full is no leak; a dump for each of
// those would cost more than it tells.
// Shape:  at most kFollowedClasses classes by bytes, kGrowthSamples samples each; a class that comes later has zeros before. When
//         all samples are taken every other one is dropped, so that the window doubles, until samples are kLongestSpacingMs apart;
//         then the oldest goes. 205 KB, O(classes * samples^2) for a judgment: below 2 ms.
//         A class grows when all of this holds:
//           - p < kGrowthLevel / classes followed (Bonferroni: so many are asked at once), one-sided, monotone_trend.h; and either
//             also when the variance is corrected for drift, or nearly every pair of samples rises (tau >= kNearlyAllPairs);
//           - median slope * window >= 1/kLeastGrowthDivisor of the used heap and kLeastGrowthBytes;
//           - each quarter of the window has a higher median than the one before, by a tenth of the whole rise or more: neither
//             a step nor a curve that has flattened passes, and samples that hang together rarely do;
//           - the last sample is above the first; and the whole heap rises as well, p < kHeapLevel;
//           - all this has held for kConfirmations judgments in a row: what drifts upwards turns around in the meantime.
// Zone:   worker (one thread).
// Errors: none.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/class_histogram.h"

namespace holdfast {

inline constexpr std::size_t kGrowthSamples = 32;
inline constexpr std::size_t kFollowedClasses = 512;
// Sixteen different values that rise have p = 5e-14; in half as many no trend passes the level for 512 classes.
inline constexpr std::size_t kLeastGrowthSamples = 16;
inline constexpr double kGrowthLevel = 0.001;
inline constexpr double kHeapLevel = 0.01;
// What p says of a class that only accompanies those that grow.
inline constexpr double kAccompanyingLevel = 0.05;
inline constexpr double kNearlyAllPairs = 0.9;
inline constexpr std::uint32_t kConfirmations = 8;
inline constexpr std::uint64_t kLeastGrowthBytes = std::uint64_t{1} << 20;
inline constexpr std::uint64_t kLeastGrowthDivisor = 100;
inline constexpr std::uint64_t kLongestSpacingMs = 600'000;  // a window of five hours

struct FollowedClass {
  std::uint64_t identity = 0;  // 0: free
  std::uint64_t bytes[kGrowthSamples] = {};
  std::uint64_t told_bytes = 0;  // when it was last reported as growing; 0 never
  double bytes_per_minute = 0;   // of the last judgment
  std::uint32_t judgments = 0;   // in a row that were for growth
  bool growing = false;
  char name[kMaxHistogramName] = "";
};

struct GrowthSeries {
  FollowedClass classes[kFollowedClasses];
  std::uint64_t at_ms[kGrowthSamples];
  std::uint64_t total_bytes[kGrowthSamples];
};

struct GrowthJudgment {
  std::uint32_t samples = 0;
  std::uint32_t followed = 0;
  std::uint32_t growing = 0;
  std::uint32_t untold = 0;  // of these, not reported yet, or twice as large since
  std::uint64_t window_ms = 0;
  const FollowedClass* first =
      nullptr;  // the fastest, one of the application's own where there is one
};

class GrowingClasses {
 public:
  // `memory` is zeroed, and stays for as long as samples are added; nullptr: nothing is followed.
  void begin(GrowthSeries* memory) noexcept;
  void add(const ClassHistogram& histogram) noexcept;
  // Forgets the samples, not what was told.
  void restart() noexcept { samples_ = 0; }
  const GrowthJudgment& judge() noexcept;
  const GrowthJudgment& last() const noexcept { return judgment_; }
  // They were reported: again only when they are twice as large. What rises with them counts as reported too.
  void mark_told() noexcept;
  // How far apart samples are wanted by now, at least.
  std::uint64_t spacing_factor() const noexcept { return spacing_factor_; }
  std::size_t samples() const noexcept { return samples_; }

 private:
  void make_room() noexcept;
  void thin_out() noexcept;
  FollowedClass* find(std::uint64_t identity) noexcept;
  FollowedClass* enter(const HistogramRow& row) noexcept;
  void index() noexcept;
  bool clear_trend(std::span<const double> minutes, std::span<const double> values,
                   double slope) const noexcept;
  bool rises(FollowedClass& followed, std::uint64_t least_bytes) noexcept;
  bool heap_rises() const noexcept;
  bool is_untold(const FollowedClass& followed) const noexcept;
  std::span<FollowedClass> all() noexcept {
    if (series_ == nullptr) return {};
    return {series_->classes, followed_};
  }

  static constexpr std::size_t kSlots = 2 * kFollowedClasses;
  GrowthSeries* series_ = nullptr;
  std::size_t samples_ = 0;
  std::size_t followed_ = 0;
  std::uint64_t spacing_factor_ = 1;
  std::uint64_t used_bytes_ = 0;
  GrowthJudgment judgment_;
  std::uint16_t slots_[kSlots] = {};  // by identity: number + 1, 0 is free
};

// A class of the application's own, which tells more than the arrays and strings that it holds.
bool is_telling(std::string_view class_name) noexcept;

}  // namespace holdfast
