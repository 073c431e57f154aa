#include "common/triggers/growing_classes.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "common/monotone_trend.h"

namespace holdfast {

static_assert(kGrowthSamples <= kMaxTrendSamples && kLeastGrowthSamples >= 8);

namespace {

constexpr double kMsPerMinute = 60'000;
constexpr double kSteadyShare = 0.1;  // of the whole rise, that each quarter adds
constexpr std::size_t kQuarters = 4;

std::size_t doubles_of(std::span<const std::uint64_t> from, double* out) noexcept {
  for (std::size_t i = 0; i < from.size(); ++i) out[i] = static_cast<double>(from[i]);
  return from.size();
}

double trend_p(std::span<const std::uint64_t> series) noexcept {
  double values[kGrowthSamples];
  return monotone_trend({values, doubles_of(series, values)}).p_rising;
}

double median(std::span<const std::uint64_t> part) noexcept {
  std::uint64_t sorted[kGrowthSamples];
  std::copy(part.begin(), part.end(), sorted);
  std::sort(sorted, sorted + part.size());
  const std::size_t middle = part.size() / 2;
  const auto upper = static_cast<double>(sorted[middle]);
  return part.size() % 2 != 0 ? upper : (static_cast<double>(sorted[middle - 1]) + upper) / 2;
}

// Every quarter adds its part.
bool steady(std::span<const std::uint64_t> series) noexcept {
  double level[kQuarters];
  for (std::size_t q = 0; q < kQuarters; ++q) {
    const std::size_t begin = series.size() * q / kQuarters;
    level[q] = median(series.subspan(begin, series.size() * (q + 1) / kQuarters - begin));
  }
  const double least = (level[kQuarters - 1] - level[0]) * kSteadyShare;
  for (std::size_t q = 1; q < kQuarters; ++q)
    if (level[q] - level[q - 1] <= 0 || level[q] - level[q - 1] < least) return false;
  return true;
}

void drop_every_other(std::uint64_t* series, std::size_t count) noexcept {
  // The newest of each pair stays, so that the last sample does.
  for (std::size_t i = 0; i < count / 2; ++i) series[i] = series[2 * i + 1];
}

void drop_oldest(std::uint64_t* series, std::size_t count) noexcept {
  std::memmove(series, series + 1, (count - 1) * sizeof *series);
}

}  // namespace

bool is_telling(std::string_view name) noexcept {
  constexpr std::string_view kOfTheRuntime[] = {"java.",    "javax.",  "jdk.",      "sun.",
                                                "com.sun.", "System.", "Microsoft."};
  if (name.ends_with("[]") || name == "string" || name == "object") return false;
  return std::none_of(std::begin(kOfTheRuntime), std::end(kOfTheRuntime),
                      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

void GrowingClasses::begin(GrowthSeries* memory) noexcept {
  *this = GrowingClasses{};
  series_ = memory;
}

// -- samples --

void GrowingClasses::index() noexcept {
  std::fill(std::begin(slots_), std::end(slots_), std::uint16_t{0});
  for (std::size_t i = 0; i < followed_; ++i) {
    std::size_t at = series_->classes[i].identity % kSlots;
    while (slots_[at] != 0) at = (at + 1) % kSlots;
    slots_[at] = static_cast<std::uint16_t>(i + 1);
  }
}

FollowedClass* GrowingClasses::find(std::uint64_t identity) noexcept {
  for (std::size_t at = identity % kSlots; slots_[at] != 0; at = (at + 1) % kSlots) {
    FollowedClass& followed = series_->classes[slots_[at] - 1];
    if (followed.identity == identity) return &followed;
  }
  return nullptr;
}

void GrowingClasses::thin_out() noexcept {
  for (FollowedClass& followed : all()) drop_every_other(followed.bytes, samples_);
  drop_every_other(series_->at_ms, samples_);
  drop_every_other(series_->total_bytes, samples_);
  samples_ /= 2;
  spacing_factor_ *= 2;
}

void GrowingClasses::make_room() noexcept {
  if (samples_ < kGrowthSamples) return;
  const std::uint64_t spacing_ms = series_->at_ms[samples_ - 1] - series_->at_ms[samples_ - 2];
  if (spacing_ms * 2 <= kLongestSpacingMs) return thin_out();
  for (FollowedClass& followed : all()) drop_oldest(followed.bytes, samples_);
  drop_oldest(series_->at_ms, samples_);
  drop_oldest(series_->total_bytes, samples_);
  --samples_;
}

// In place of nobody, or of the followed class that is smallest now. The largest rows come first, so what is pushed out is
// smaller than what comes.
FollowedClass* GrowingClasses::enter(const HistogramRow& row) noexcept {
  FollowedClass* place = nullptr;
  if (followed_ < kFollowedClasses) {
    place = &series_->classes[followed_++];
  } else {
    place = std::min_element(series_->classes, series_->classes + followed_,
                             [this](const FollowedClass& a, const FollowedClass& b) {
                               return a.bytes[samples_] < b.bytes[samples_];
                             });
    if (place->bytes[samples_] >= row.shallow_bytes) return nullptr;
  }
  *place = FollowedClass{};
  place->identity = row.identity;
  std::memcpy(place->name, row.name, sizeof place->name);
  place->bytes[samples_] = row.shallow_bytes;
  return place;
}

void GrowingClasses::add(const ClassHistogram& histogram) noexcept {
  if (series_ == nullptr) return;
  make_room();
  index();
  for (FollowedClass& followed : all()) followed.bytes[samples_] = 0;
  bool missing[kFollowedClasses] = {};  // of the largest rows
  for (std::size_t i = 0; i < histogram.rows.size(); ++i) {
    const HistogramRow& row = histogram.rows[i];
    FollowedClass* const followed = find(row.identity);
    if (followed != nullptr)
      followed->bytes[samples_] = row.shallow_bytes;
    else if (i < kFollowedClasses)
      missing[i] = row.identity != 0;
  }
  for (std::size_t i = 0; i < std::min(histogram.rows.size(), kFollowedClasses); ++i)
    if (missing[i] && enter(histogram.rows[i]) == nullptr) break;
  series_->at_ms[samples_] = histogram.taken_utc_ms;
  // A date that was set back must not turn time around.
  if (samples_ != 0 && series_->at_ms[samples_] <= series_->at_ms[samples_ - 1])
    series_->at_ms[samples_] = series_->at_ms[samples_ - 1] + 1;
  series_->total_bytes[samples_] = histogram.total_bytes;
  used_bytes_ = std::max(histogram.heap.used_bytes, histogram.total_bytes);
  ++samples_;
}

// -- judgment --

bool GrowingClasses::clear_trend(std::span<const double> minutes, std::span<const double> values,
                                 double slope) const noexcept {
  const double level = kGrowthLevel / static_cast<double>(followed_);
  const MonotoneTrend trend = monotone_trend(values);
  if (trend.p_rising >= level) return false;
  return trend.tau >= kNearlyAllPairs ||
         p_above(trend.z / std::sqrt(drift_factor(minutes, values, slope))) < level;
}

bool GrowingClasses::heap_rises() const noexcept {
  return series_->total_bytes[samples_ - 1] > series_->total_bytes[0] &&
         trend_p({series_->total_bytes, samples_}) < kHeapLevel;
}

bool GrowingClasses::rises(FollowedClass& followed, std::uint64_t least_bytes) noexcept {
  const std::span<const std::uint64_t> series{followed.bytes, samples_};
  if (series.back() < series.front() + least_bytes / 2) return false;  // not worth the arithmetic
  if (!steady(series)) return false;
  double minutes[kGrowthSamples];
  double values[kGrowthSamples];
  for (std::size_t i = 0; i < samples_; ++i)
    minutes[i] = static_cast<double>(series_->at_ms[i] - series_->at_ms[0]) / kMsPerMinute;
  doubles_of(series, values);
  followed.bytes_per_minute = median_slope({minutes, samples_}, {values, samples_});
  return followed.bytes_per_minute * minutes[samples_ - 1] >= static_cast<double>(least_bytes) &&
         clear_trend({minutes, samples_}, {values, samples_}, followed.bytes_per_minute);
}

bool GrowingClasses::is_untold(const FollowedClass& followed) const noexcept {
  return followed.told_bytes == 0 || followed.bytes[samples_ - 1] / 2 >= followed.told_bytes;
}

const GrowthJudgment& GrowingClasses::judge() noexcept {
  judgment_ = GrowthJudgment{};
  judgment_.samples = static_cast<std::uint32_t>(samples_);
  judgment_.followed = static_cast<std::uint32_t>(followed_);
  if (series_ == nullptr || samples_ == 0) return judgment_;
  judgment_.window_ms = series_->at_ms[samples_ - 1] - series_->at_ms[0];
  const bool decided = samples_ >= kLeastGrowthSamples && heap_rises();
  const std::uint64_t least = std::max(kLeastGrowthBytes, used_bytes_ / kLeastGrowthDivisor);
  for (FollowedClass& followed : all()) {
    followed.judgments = decided && rises(followed, least) ? followed.judgments + 1 : 0;
    followed.growing = followed.judgments >= kConfirmations;
    if (!followed.growing) continue;
    ++judgment_.growing;
    judgment_.untold += is_untold(followed) ? 1 : 0;
    const FollowedClass* const first = judgment_.first;
    const bool telling = is_telling(followed.name);
    const bool first_telling = first != nullptr && is_telling(first->name);
    if (first == nullptr || (telling && !first_telling) ||
        (telling == first_telling && followed.bytes_per_minute > first->bytes_per_minute))
      judgment_.first = &followed;
  }
  return judgment_;
}

void GrowingClasses::mark_told() noexcept {
  for (FollowedClass& followed : all())
    if (followed.growing ||
        (is_untold(followed) && trend_p({followed.bytes, samples_}) < kAccompanyingLevel))
      followed.told_bytes = std::max<std::uint64_t>(followed.bytes[samples_ - 1], 1);
  judgment_.untold = 0;
}

}  // namespace holdfast
