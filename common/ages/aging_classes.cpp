#include "common/ages/aging_classes.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "common/monotone_trend.h"
#include "common/triggers/growing_classes.h"

namespace holdfast {

static_assert(kAgingPoints <= kMaxTrendSamples);

namespace {

constexpr double kLastThirdShare = 0.2;
constexpr std::uint64_t kLeastShareDivisor = 100;
constexpr std::uint32_t kMostConfidence = 99;
// So long after the first look something of a class that piles up was born since and is old.
constexpr std::uint64_t kTimeToGrowOld = 2 * kOldAge;
// A candidate whose samples have said nothing for so long makes room for another.
constexpr std::uint64_t kForgottenAfter = 1000;

bool in_both_halves(std::uint16_t births) noexcept {
  return (births & 0xFFu) != 0 && (births & 0xFF00u) != 0;
}

bool is_candidate(const SampledClass& of) noexcept {
  if (of.old_samples < kLeastOld || of.distinct_births() < kLeastOld) return false;
  return std::any_of(std::begin(of.births), std::begin(of.births) + of.windows, &in_both_halves);
}

std::uint32_t old_percent(const SampledClass& of) noexcept {
  const double all = of.all_objects();
  return all <= 0 ? 0 : static_cast<std::uint32_t>(100 * of.old_objects() / all);
}

double median(std::span<const std::uint64_t> part) noexcept {
  std::uint64_t sorted[kAgingPoints];
  std::copy(part.begin(), part.end(), sorted);
  std::sort(sorted, sorted + part.size());
  const std::size_t middle = part.size() / 2;
  return static_cast<double>(sorted[middle]);
}

bool goes_on_rising(std::span<const std::uint64_t> series) noexcept {
  const std::size_t third = series.size() / 3;
  const double first = median(series.first(third));
  const double last = median(series.last(third));
  const double middle = median(series.subspan(third, series.size() - 2 * third));
  return middle >= first && last > middle && last - middle >= (last - first) * kLastThirdShare;
}

double p_of(std::span<const std::uint64_t> series) noexcept {
  double values[kAgingPoints];
  for (std::size_t i = 0; i < series.size(); ++i) values[i] = static_cast<double>(series[i]);
  return monotone_trend({values, series.size()}).p_rising;
}

// Or rises of late.
bool may_rise(std::span<const std::uint64_t> series) noexcept {
  if (series.size() < kRefutingLooks || p_of(series) < kHopefulLevel) return true;
  const std::span<const std::uint64_t> later = series.subspan(series.size() / 2);
  return later.size() >= kRefutingLooks && p_of(later) < kHopefulLevel;
}

template <class T>
void keep_every_other(T* series, std::size_t count) noexcept {
  for (std::size_t i = 0; i < count / 2; ++i) series[i] = series[2 * i + 1];
}

}  // namespace

void AgingClasses::restart() noexcept {
  for (Followed& of : followed_) of = Followed{};
  points_ = 0;
  anything_old_ = false;
  spacing_ = kLeastSpacing;
}

// -- who is followed --

AgingClasses::Followed* AgingClasses::least_old() noexcept {
  return std::min_element(
      std::begin(followed_), std::end(followed_),
      [](const Followed& a, const Followed& b) { return a.old_samples < b.old_samples; });
}

AgingClasses::Followed* AgingClasses::place_for(const char* name, std::uint32_t old_samples,
                                                std::uint64_t now) noexcept {
  Followed* place = nullptr;
  for (Followed& of : followed_) {
    if (of.chosen_at != 0 && std::strcmp(of.name, name) == 0) return &of;
    const bool free = of.chosen_at == 0 || of.chosen_at + kForgottenAfter < now;
    if (free && place == nullptr) place = &of;
  }
  if (place == nullptr) place = least_old();
  if (place->chosen_at != 0 && place->old_samples >= old_samples) return nullptr;
  *place = Followed{};
  std::memcpy(place->name, name, kMaxHistogramName);
  place->first = static_cast<std::uint32_t>(points_);
  return place;
}

void AgingClasses::choose(const SampledAges& ages, const StringTable& names) noexcept {
  for (Followed& of : followed_) of.candidate = false;
  anything_old_ =
      anything_old_ || std::any_of(ages.classes.begin(), ages.classes.end(),
                                   [](const SampledClass& of) { return of.old_samples > 0; });
  for (const SampledClass& sampled : ages.classes) {
    const std::string_view text = names.view(sampled.name);
    if (text.empty() || sampled.samples[0] == sampled.all_samples()) continue;
    char name[kMaxHistogramName] = "";
    keep_telling_end(text, name);
    Followed* const of = place_for(name, sampled.old_samples, ages.question.now);
    if (of == nullptr) continue;
    of->chosen_at = std::max<std::uint64_t>(ages.question.now, 1);
    of->candidate = is_candidate(sampled);
    of->old_samples = sampled.old_samples;
    std::copy_n(sampled.since_mark, kAgeMarks, of->since_mark);
    of->ages = sampled.distinct_births();
    of->old_percent = old_percent(sampled);
    if (of->quiet_until == 0) doubt(*of);
  }
}

std::size_t AgingClasses::candidates() const noexcept {
  return static_cast<std::size_t>(std::count_if(std::begin(followed_), std::end(followed_),
                                                [](const Followed& of) { return of.candidate; }));
}

// -- looks --

LookWorth AgingClasses::worth_of(const Followed& of, std::uint64_t collections) const noexcept {
  if (!of.candidate || of.quiet_until > collections) return LookWorth::kNone;
  const bool had_time = points_ != 0 && collections >= collections_[0] + kTimeToGrowOld;
  if (had_time && of.since_mark[0].samples == 0) return LookWorth::kNone;
  const bool decides = points_ + 1 >= of.first + kLeastLooks;
  if (decides && of.since_mark[0].samples < kLeastOld) return LookWorth::kNone;
  if (of.held >= kConfirmedLooks) return LookWorth::kKnown;
  if (of.held > 0) return LookWorth::kDeciding;
  if (of.quiet_until != 0) return LookWorth::kKnown;
  const std::span<const std::uint64_t> series = series_of(of);
  const bool undecided =
      series.size() >= kRefutingLooks && series.size() < kLeastLooks + kConfirmedLooks;
  const bool decides_soon = undecided && p_of(series) < kHopefulLevel;
  return decides_soon ? LookWorth::kDeciding : LookWorth::kPromising;
}

LookWorth AgingClasses::wants_look(std::uint64_t collections) const noexcept {
  if (!anything_old_ || !is_due(collections)) return LookWorth::kNone;
  if (points_ < kFreeLooks) return LookWorth::kPromising;
  LookWorth worth = LookWorth::kNone;
  for (const Followed& of : followed_) worth = std::max(worth, worth_of(of, collections));
  return worth;
}

void AgingClasses::thin_out() noexcept {
  for (Followed& of : followed_) {
    keep_every_other(of.instances, kAgingPoints);
    keep_every_other(of.bytes, kAgingPoints);
    of.first = (of.first + 1) / 2;
  }
  keep_every_other(collections_, kAgingPoints);
  keep_every_other(at_ms_, kAgingPoints);
  points_ = kAgingPoints / 2;
  spacing_ *= 2;
}

void AgingClasses::add(const ClassHistogram& histogram) noexcept {
  if (points_ == kAgingPoints) thin_out();
  for (Followed& of : followed_) {
    if (of.chosen_at == 0) continue;
    of.instances[points_] = of.bytes[points_] = 0;
    for (const HistogramRow& row : histogram.rows) {
      if (std::strcmp(row.name, of.name) != 0) continue;
      of.instances[points_] += row.instances;
      of.bytes[points_] += row.shallow_bytes;
    }
  }
  collections_[points_] = histogram.collections;
  at_ms_[points_++] = histogram.taken_utc_ms;
  for (Followed& of : followed_) {
    AgeSuspect suspect;
    of.held = judge_one(of, suspect) ? of.held + 1 : 0;
    doubt(of);
  }
}

std::span<const std::uint64_t> AgingClasses::series_of(const Followed& of) const noexcept {
  const std::size_t first = std::min<std::size_t>(of.first, points_);
  return {of.instances + first, points_ - first};
}

// By the looks so far; one that was looked at for another's sake, too.
void AgingClasses::doubt(Followed& of) noexcept {
  if (!refuted(of)) return;
  const std::uint64_t last = collections_[points_ - 1];
  of.quiet_until = last + std::clamp(last - collections_[of.first], kLeastQuiet, kMostQuiet);
}

// -- judgment --

AgeQuestion AgingClasses::question(std::uint64_t since, std::uint64_t now) const noexcept {
  if (points_ == 0) return {since, now, {}};
  return {since, now, {collections_[0], collections_[points_ / 2]}};
}

// Marks are of the first look of all; of one that came later a part of what was born since counts.
bool AgingClasses::hardly_stays(const Followed& of) const noexcept {
  const std::size_t last = points_ - 1;
  if (of.since_mark[0].samples < kLeastOld) return false;
  const std::uint64_t all = collections_[last] - collections_[0];
  const std::uint64_t own = collections_[last] - collections_[of.first];
  const double born = static_cast<double>(of.since_mark[0].objects) * static_cast<double>(own) /
                      static_cast<double>(all);
  const std::uint64_t before = std::min(of.instances[of.first], of.instances[last]);
  return static_cast<double>(of.instances[last] - before) < kRefutedStaying * born;
}

bool AgingClasses::refuted(const Followed& of) const noexcept {
  if (!of.candidate || of.first + 1 >= points_) return false;
  return !may_rise(series_of(of)) || hardly_stays(of);
}

// Few samples may stand for more than they say: 5 % of the time for more than this.
bool AgingClasses::stays(const OldSince& born, std::uint64_t more) const noexcept {
  constexpr double kOneSided = 1.64;
  if (born.samples < kLeastOld) return false;
  const auto objects = static_cast<double>(born.objects);
  const double most = objects * (1 + kOneSided / std::sqrt(static_cast<double>(born.samples)));
  const auto risen = static_cast<double>(more);
  return risen >= kLeastStaying * objects && risen >= kLeastDeviations * std::sqrt(2 * most);
}

bool AgingClasses::judge_part(const Followed& of, std::size_t from, std::size_t mark,
                              AgeSuspect& out) const noexcept {
  const std::size_t last = points_ - 1;
  const std::span<const std::uint64_t> series{of.instances + from, points_ - from};
  const std::uint64_t least = std::max(kLeastMore, series.back() / kLeastShareDivisor);
  if (series.back() < series.front() + least || !goes_on_rising(series)) return false;
  if (!stays(of.since_mark[mark], series.back() - series.front())) return false;
  const std::size_t tests = candidates() * (points_ >= 2 * kLeastLooks ? 2 : 1);
  const double level = p_of(series) * static_cast<double>(tests);
  if (level >= kAgingLevel) return false;
  const auto confidence = static_cast<std::uint32_t>(100 * (1 - std::sqrt(level)));
  out.confidence_percent = std::min(confidence, kMostConfidence);
  out.more_instances = series.back() - series.front();
  out.more_bytes = of.bytes[last] - std::min(of.bytes[from], of.bytes[last]);
  out.collections = collections_[last] - collections_[from];
  out.window_ms = at_ms_[last] - std::min(at_ms_[from], at_ms_[last]);
  out.looks = static_cast<std::uint32_t>(points_ - from);
  return true;
}

bool AgingClasses::judge_one(const Followed& of, AgeSuspect& out) const noexcept {
  const std::size_t first = of.first;
  if (!of.candidate || points_ < first + kLeastLooks) return false;
  const std::size_t later = first + (points_ - first) / 2;
  const bool halves = points_ - first >= 2 * kLeastLooks;
  if (!judge_part(of, first, 0, out) && !(halves && judge_part(of, later, 1, out))) return false;
  std::memcpy(out.name, of.name, sizeof out.name);
  out.instances = of.instances[points_ - 1];
  out.shallow_bytes = of.bytes[points_ - 1];
  out.old_samples = of.old_samples;
  out.ages = of.ages;
  out.old_percent = of.old_percent;
  return true;
}

std::size_t AgingClasses::judge(std::span<AgeSuspect> out) const noexcept {
  std::size_t count = 0;
  for (const Followed& of : followed_)
    if (of.held >= kConfirmedLooks && count < out.size() && judge_one(of, out[count])) ++count;
  std::sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(count),
            [](const AgeSuspect& a, const AgeSuspect& b) {
              const bool first = is_telling(a.name), second = is_telling(b.name);
              return first != second ? first : a.more_bytes > b.more_bytes;
            });
  return count;
}

// -- what dumps have told --

void AgingClasses::mark_told() noexcept {
  for (Followed& of : followed_) {
    const std::span<const std::uint64_t> series = series_of(of);
    if (of.chosen_at == 0 || series.size() < kRefutingLooks) continue;
    if (of.held >= kConfirmedLooks || p_of(series) < kAccompanyingLevel)
      of.told_instances = std::max<std::uint64_t>(series.back(), 1);
  }
}

bool AgingClasses::is_untold(const AgeSuspect& suspect) const noexcept {
  return std::none_of(std::begin(followed_), std::end(followed_), [&suspect](const Followed& of) {
    return std::strcmp(of.name, suspect.name) == 0 && suspect.instances / 2 < of.told_instances;
  });
}

}  // namespace holdfast
