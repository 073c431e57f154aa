// Which classes pile up: their sampled objects grow old in many ages, and more of them are reached at each look.
// Why both: ages alone cannot tell what lives from garbage that no collection has looked for yet, and what is reached alone says nothing
//      of how long it stays. Ages are free, so they choose which classes are looked at; histograms of what is reached decide.
// Shape:  a class is followed when one of its sampled objects has survived a collection, kMostFollowed classes at most, those with the most
//         old ones (sampled_ages.h); it is a candidate when there are kLeastOld, born in both halves of one of its windows (of eight
//         samples of a leak, none is in one of the halves once in 128 times). Looks: the first kFreeLooks as soon as anything is old, so
//         that they lie behind us when a candidate comes, later ones for candidates of which something was born and has grown old since,
//         alone; kLeastSpacing collections apart; one that would decide waits until there are the kLeastOld samples to decide by. A candidate is
//         refuted when its looks have found less than kRefutedStaying of what was born meanwhile and has grown old, or when from
//         kRefutingLooks on they do not rise one after the other (p >= kHopefulLevel), also by looks from before it was one: nobody looks for its sake until as many
//         collections have passed again, kLeastQuiet at least and kMostQuiet at most. kAgingPoints are kept; when these are full every other one goes,
//         and looks are wanted twice as far apart. 140 KB, O(candidates * points^2) for a judgment.
//         Looks at one that rises decide until there are kLeastLooks + kConfirmedLooks of them; if it is no suspect then, as where it
//         rises by one object a look, later ones only promise, and wait for what time earns.
//         A candidate is a suspect when over all its looks, or, from 2 * kLeastLooks on, the later half of them:
//           - p < kAgingLevel / tests, one-sided, Mann and Kendall (monotone_trend.h); tests: candidates, times two where halves are tested;
//           - it has become more by kLeastMore objects and a hundredth of what there is;
//           - of what was born since the first look and has grown old (kLeastOld samples at least), estimated, the rise is half or more, and
//             more than chance leaves where as many are born and die (kLeastDeviations of the root of their number): in a population that
//             comes and goes it is neither;
//           - no third of the looks lies below the one before, and the last adds a fifth of the whole rise: what has filled up does not.
//           - all this has held after kConfirmedLooks looks in a row: a load that rises for a while turns round meanwhile.
//         Confidence: 1 - sqrt(p * tests), in percent, 99 at most.
//         A dump tells of the suspects, and of what rises with them (p < kAccompanyingLevel, growing_classes.h): each is untold again when it has doubled.
// Zone:   worker (one thread).
// Errors: none.
#pragma once

#include <cstdint>
#include <span>

#include "common/ages/age_suspect.h"
#include "common/ages/look_credit.h"
#include "common/ages/sampled_ages.h"
#include "common/class_histogram.h"

namespace holdfast {

inline constexpr std::size_t kMostFollowed = 256;
inline constexpr std::size_t kAgingPoints = 24;
inline constexpr std::size_t kLeastLooks = 6;
inline constexpr std::size_t kFreeLooks = 1;
// Six looks then span ten collections: what rises through all of them is no burst.
inline constexpr std::uint64_t kLeastSpacing = 2;
inline constexpr std::uint32_t kLeastOld = 4;
inline constexpr double kLeastStaying = 0.5;
inline constexpr double kRefutedStaying = 0.25;
inline constexpr std::size_t kRefutingLooks = 4;
inline constexpr double kHopefulLevel = 0.1;
inline constexpr std::uint64_t kLeastQuiet = 16;
inline constexpr std::uint64_t kMostQuiet = 256;
inline constexpr double kLeastDeviations = 4;
inline constexpr std::uint32_t kConfirmedLooks = 3;
inline constexpr double kAgingLevel = 0.01;
inline constexpr std::uint64_t kLeastMore = 32;

class AgingClasses {
 public:
  // In place: a thread of ours has no room for another one of these on its stack.
  void restart() noexcept;
  // Which classes are worth a look now.
  void choose(const SampledAges& ages, const StringTable& names) noexcept;
  // The looks that samples are to be told since.
  AgeQuestion question(std::uint64_t since, std::uint64_t now) const noexcept;
  // Is it time for the next look at what is reached, and for whose sake: one that looks have neither confirmed nor refuted yet?
  LookWorth wants_look(std::uint64_t collections) const noexcept;
  // Far enough from the last one?
  bool is_due(std::uint64_t collections) const noexcept {
    return points_ == 0 || collections >= collections_[points_ - 1] + spacing_;
  }
  void add(const ClassHistogram& histogram) noexcept;
  // The suspects, the telling ones first; how many.
  std::size_t judge(std::span<AgeSuspect> out) const noexcept;
  // A dump was made for what is suspected by now.
  void mark_told() noexcept;
  bool is_untold(const AgeSuspect& suspect) const noexcept;
  std::size_t looks() const noexcept { return points_; }
  std::size_t candidates() const noexcept;

 private:
  struct Followed {
    char name[kMaxHistogramName] = "";
    std::uint64_t instances[kAgingPoints] = {};
    std::uint64_t bytes[kAgingPoints] = {};
    std::uint32_t first = 0;      // its first point
    std::uint64_t chosen_at = 0;  // the last time that its samples spoke for it; 0: free
    bool candidate = false;
    std::uint64_t quiet_until = 0;  // refuted: collections until somebody looks for its sake again
    std::uint32_t old_samples = 0;
    OldSince since_mark[kAgeMarks];
    std::uint32_t ages = 0;
    std::uint32_t old_percent = 0;
    std::uint32_t held = 0;            // looks in a row that spoke against it
    std::uint64_t told_instances = 0;  // of the last dump that told of it; 0: none
  };

  LookWorth worth_of(const Followed& of, std::uint64_t collections) const noexcept;
  Followed* place_for(const char* name, std::uint32_t old_samples, std::uint64_t now) noexcept;
  Followed* least_old() noexcept;
  void thin_out() noexcept;
  std::span<const std::uint64_t> series_of(const Followed& of) const noexcept;
  // Of the looks from `from` on, and of samples since mark `mark`.
  void doubt(Followed& of) noexcept;
  bool hardly_stays(const Followed& of) const noexcept;
  bool refuted(const Followed& of) const noexcept;
  bool stays(const OldSince& born, std::uint64_t more) const noexcept;
  bool judge_part(const Followed& of, std::size_t from, std::size_t mark,
                  AgeSuspect& out) const noexcept;
  bool judge_one(const Followed& of, AgeSuspect& out) const noexcept;

  Followed followed_[kMostFollowed];
  std::uint64_t collections_[kAgingPoints] = {};
  std::uint64_t at_ms_[kAgingPoints] = {};
  std::size_t points_ = 0;
  bool anything_old_ = false;
  std::uint64_t spacing_ = kLeastSpacing;  // collections between two looks, at least
};

}  // namespace holdfast
