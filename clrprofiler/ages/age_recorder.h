// From the events of collections to the table of ages.
// Why at once, and not on a thread of ours: what a collection tells is looked up in the table as the one before left it; so the table is
//      right when the application runs again, no queue can overflow, and a clone of the process finds it whole. The price:
//      docs/decisions/076-clr-ages-cost.md.
// Shape:    start(n), region*, (survived | moved)*, region*, end(n)     a collection; the last listing is its end's
//           suspend, restart                                            the stop in which one in the background has marked: it sweeps from now on
//           suspend, survived*, restart                                 its last stop: what it leaves
//         A suspend is told before it is one, so another's restart may come in between.
//         A server's heaps are listed one after the other, each from its highest generation down, so nothing but what is told in between
//         parts the two listings; where nothing lives there is one.
//           start(n) "in the background"      followed by another start or a restart it is that; the collector may also think better of it,
//                                             and then it is one like the others
//         An event may come twice, once for each session that hears it; a second start or end of one number is passed over.
//         The number of the last start is "now": the runtime counts every collection, those in the background too.
// Zone:   on_event(): stopped, but for suspends, and starts and ends of collections in the background; survived and moved on any number of threads at once, the others one at a time, ordered by the collector.
//         view(): while no collection runs. hold_next() and held(): capture.
// Errors: events out of order, cut, or of a version nobody knows: the table is given up, and the next collection begins one anew.
// Source: looked at on .NET 10 (docs/decisions/075-clr-age-events.md): order, threads, standstills.
#pragma once

#include <atomic>

#include "clrprofiler/ages/age_events.h"
#include "clrprofiler/ages/age_ranges.h"

namespace holdfast::clr {

inline constexpr char kNoAgesYet[] =
    "no ages: no collection has told since ages were switched on, or what was told has gaps";

class AgeRecorder {
 public:
  Result<void> open(Arena& arena, std::size_t most_ranges) noexcept {
    return ranges_.open(arena, most_ranges);
  }
  void on_event(std::uint32_t id, std::uint32_t version, Payload payload) noexcept;
  // Events have been missed, or may be; before the next one.
  void restart() noexcept;

  AgeView view() const noexcept {
    return whole() ? ranges_.view(now_.load(std::memory_order_relaxed)) : AgeView();
  }
  // The table at the end of each whole collection from now on is copied to `room`, each over the one before.
  void hold_next(std::span<AgeRange> room) noexcept {
    held_number_.store(0, std::memory_order_relaxed);
    room_ = room;
    holding_.store(true, std::memory_order_release);
  }
  // The one of that collection; unknown: it was not kept.
  AgeView release_held(std::uint32_t number) noexcept;
  const AgeRanges& ranges() const noexcept { return ranges_; }

 private:
  // False in the midst of a change, which a clone of the process never meets.
  bool whole() const noexcept { return !changing_.load(std::memory_order_acquire); }
  void on_start(Payload payload) noexcept;
  void on_end(Payload payload) noexcept;
  void on_suspend(Payload payload) noexcept;
  void on_restart() noexcept;
  void leave() noexcept;
  template <class Change>
  void change(Change change_table) noexcept;
  void on_region(Payload payload) noexcept;
  void on_survived(Payload payload) noexcept;
  void on_moved(Payload payload) noexcept;
  template <class Record, class Tell>
  void tell(Payload payload, Tell tell_one) noexcept;
  void keep_aside() noexcept;

  AgeRanges ranges_;
  std::atomic<std::uint32_t> now_{0};
  std::uint32_t number_ = 0;  // of the collection that runs
  std::uint32_t generation_ = 0;
  std::atomic<bool> inside_{
      false};  // one that is not in the background; its start is before what others tell
  std::atomic<std::uint32_t> told_{0};  // events since the last end, each with what it has written
  // One in the background sweeps, or will when the application runs again.
  std::atomic<bool> sweeping_{false};
  bool last_listing_ = false;
  bool may_be_background_ = false;
  std::atomic<bool> damaged_{false};
  std::atomic<bool> changing_{false};
  std::atomic<bool> holding_{false};
  std::span<AgeRange> room_;
  AgeView held_;
  std::atomic<std::uint32_t> held_number_{0};
};

}  // namespace holdfast::clr
