// The book that a VM's adapter writes allocations into, and a dump reads: one for a process, from load to its end.
// Why here: sampled or counted, Java or .NET, the figures and their errors are the same.
// Shape:  rows in one hash table of fixed size, keyed by account, principal, class, method, thread (allocation_rows.h); names interned
//         once; live samples in one table of fixed size, a sample's number is its tag (live_samples.h): when it is full, each of them is kept with
//         probability 1/2 from then on, and those that stay stand for those that go (thinning), so estimates stay unbiased.
//         What a sample stands for: sample_weight.h. Live amounts are added up from the live samples by read(), so that nothing drifts.
//         What finds no row goes to its account's row of the class "(other classes)", without principal, and is counted in AccountLosses.
// Zone:   open(): load. name(), sampled(), died(), lose(): event, under a lock of the book's own that is never held across a VM call.
//         begin_counts(), counted(), read(), reported(): capture. read() holds it for some thousand rows or samples at a time, because
//         a collection may be waiting in died(); so rows are of moments that lie some milliseconds apart.
// Errors: kOutOfBudget, kTooMany from open() and read(). Else nothing fails: what finds no room is counted in AccountLosses.
// Source: Horvitz, Thompson: A Generalization of Sampling Without Replacement From a Finite Universe, 1952.
#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

#include "common/accounts/account_figures.h"
#include "common/accounts/account_patterns.h"
#include "common/accounts/allocation_key.h"
#include "common/accounts/allocation_rows.h"
#include "common/accounts/live_samples.h"
#include "common/accounts/sampling_pace.h"
#include "common/ages/class_lives.h"
#include "common/annotations/thread_annotations.h"
#include "common/arena.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast {

struct AccountSettings {
  AccountMode mode = AccountMode::kOff;
  std::uint32_t dimensions = 0;
  std::uint64_t sample_interval_bytes = 0;
  bool steady = true;  // false: wider where samples cost too much (sampling_pace.h)
  std::uint64_t chance_seed =
      0x68666163636F756Eull;       // of thinning and pace; the same runs give the same samples
  bool ages = false;               // how long objects live is told by class, too
  SampleFilter filter{};           // which samples are taken; its texts outlive the book
  std::string_view sample_only{};  // the same, as it was written
};

// How much a book holds. The default is 16 MB, of which an empty book has touched 110 KB.
struct AccountRoom {
  std::uint32_t rows = 64u << 10;  // 152 bytes each, index included
  std::uint32_t live_samples =
      128u << 10;  // 16 bytes; at 512 KB each 64 GB of live objects before the first thinning.
                   // In exact-live there are none, and sums of 32 bytes a row in their place
  std::uint32_t names = 60u << 10;  // 12 bytes and the text
  std::uint32_t text_bytes = 3u << 20;

  // The largest room that takes at most an eighth of `memory_bytes`, by halving.
  static AccountRoom within(std::uint64_t memory_bytes) noexcept;
  // Patterns with so many accounts and so much text included; what read() needs at most, its scratch included.
  std::size_t book_bytes(std::uint32_t accounts, std::size_t accounts_text_bytes) const noexcept;
  std::size_t figures_bytes(std::uint32_t accounts, std::size_t accounts_text_bytes) const noexcept;
};

class AccountBook {
 public:
  // The number of a live sample, as a tag: never 0.
  using LiveTag = LiveSamples::Tag;

  AccountBook() = default;
  AccountBook(const AccountBook&) = delete;
  AccountBook& operator=(const AccountBook&) = delete;

  // `patterns` lie in the same arena, or outlive the book.
  Result<void> open(Arena arena, const AccountPatterns& patterns, const AccountSettings& settings,
                    const AccountRoom& room = AccountRoom{}) noexcept;
  // At load, before anything is written: the VM does not tell allocations, and there are no accounts. Its memory goes back.
  void close() noexcept;
  bool is_open() const noexcept { return settings_.mode != AccountMode::kOff; }
  const AccountPatterns& patterns() const noexcept { return patterns_; }
  const AccountSettings& settings() const noexcept { return settings_; }
  // Which samples are to be taken: asked before anything is asked for one.
  SamplingPace& pace() noexcept { return pace_; }
  // What threads say of themselves.
  ThreadAnnotations& annotations() noexcept { return annotations_; }

  // -- event --
  StringId name(std::string_view text) noexcept;  // interned; "(other)" when there is no room
  // One sampled object. Answers the tag to follow it by, or 0: it is not to be followed. In exact mode it is followed alone: what was
  // allocated is counted().
  LiveTag sampled(const AllocationKey& key, std::uint64_t shallow_bytes,
                  const SampleMoment& moment = {}) noexcept;
  // `collections`: that there have been by now; 0: not known, or it was never followed.
  void died(LiveTag tag, std::uint64_t collections = 0) noexcept;
  // False: it has died, or was given up for room, so nobody needs to look after it any more.
  bool follows(LiveTag tag) noexcept;
  // How many are followed at most.
  std::uint32_t most_live_samples() noexcept;

  // -- exact modes, event: one object as it is allocated, for an adapter that has no counters of its own. Answers the number of its row.
  std::uint32_t allocated(const AllocationKey& key, std::uint64_t shallow_bytes) noexcept;

  // -- exact mode, capture: what the adapter has counted since accounting began, in all. A round before each read(): begin_counts(), then
  // counted() for every key that there is; amounts of equal keys add up.
  void begin_counts() noexcept;
  void counted(const AllocationKey& key, std::uint64_t objects, std::uint64_t bytes) noexcept;

  // -- exact-live, capture: what lives, by rows that allocated() has answered. A round before each read(), as above: begin_live(), then
  // lives() for every object. One that was followed by a chance of 1 in 2^halvings stands for as many.
  void begin_live() noexcept;
  void lives(std::uint32_t row, std::uint64_t shallow_bytes, std::uint32_t halvings) noexcept;

  void lose(std::uint64_t AccountLosses::*what, std::uint64_t count = 1) noexcept;
  // Samples that the filter did not let pass.
  void pass_over(std::uint64_t count = 1) noexcept {
    passed_over_.fetch_add(count, std::memory_order_relaxed);
  }
  // This VM tells which objects died, or live. Before the first sample; until then none is followed.
  void set_live_known(bool known) noexcept;

  // -- any thread of ours --
  // Every followed sample that lives: its class, its size, for how many objects it stands, and its birth. The lock is held for some thousand at a
  // time. False: some were given up meanwhile, so that not all stand for what they said; look again.
  struct Followed {
    StringId class_name;
    std::uint64_t shallow_bytes = 0;
    double objects = 1;
    std::uint32_t age = 0;  // collections between its birth and `now`
  };
  bool visit_followed(std::uint64_t now, void (*look)(void* context, const Followed&) noexcept,
                      void* context) noexcept;
  // Of a class that was sampled, how its objects have lived; false: it was not, or had no room.
  bool life_of(StringId class_name, ClassLife& out) noexcept;
  LivesSpan lives_span() noexcept;
  // Texts of names that it has by now; they stay where they are.
  StringTable names() noexcept {
    platforms::MutexLock lock(writing_);
    return names_;
  }

  // -- capture --
  // For a dump, and one at a time: a copy of everything, in `arena`; after an error nothing of it stays there.
  Result<AccountFigures> read(Arena& arena) noexcept;
  // The last read() has become a report: what came after it counts for the next one.
  void reported(std::uint64_t utc_ms) noexcept;

 private:
  std::uint32_t row_of(const AllocationKey& key, std::uint64_t count) noexcept
      HF_REQUIRES(writing_);
  Result<void> copy_all(Arena& arena, AccountFigures& out) noexcept;
  Result<std::span<AccountRow>> copy_rows(std::span<const LiveSamples::Slot> live, double share,
                                          std::span<AccountRow> room, Arena& arena) noexcept;
  std::size_t copy_own(std::span<AccountRow> room) noexcept;
  void copy_rest(std::span<AccountRow> room, std::size_t& used) noexcept;
  Result<std::span<const LiveSamples::Slot>> copy_live(Arena& arena, double& share) noexcept;
  bool copy_live_in_pieces(std::span<LiveSamples::Slot> out, double& share) noexcept;
  void sum_samples(std::span<const LiveSamples::Slot> live, double share, std::span<AmountSum> sums,
                   std::size_t own) noexcept;
  void sum_live_counts(std::span<AmountSum> sums, std::size_t own) noexcept;
  Result<void> name_accounts() noexcept HF_REQUIRES(writing_);

  Arena arena_;
  AccountPatterns patterns_;
  AccountSettings settings_;
  SamplingPace pace_;
  ThreadAnnotations annotations_;
  std::atomic<std::uint64_t> passed_over_{0};
  std::uint64_t began_utc_ms_ = 0;
  std::span<StringId> account_names_;
  std::span<AmountSum> live_counts_;  // exact-live: [rows], written by the thread that reads
  StringId other_classes_{0};
  StringId other_{0};

  platforms::Mutex writing_;
  AllocationRows rows_ HF_GUARDED_BY(writing_);
  LiveSamples live_ HF_GUARDED_BY(writing_);
  ClassLives lives_ HF_GUARDED_BY(writing_);
  StringTable names_ HF_GUARDED_BY(writing_);
  AccountLosses losses_ HF_GUARDED_BY(writing_);
  bool live_known_ HF_GUARDED_BY(writing_) = false;
  std::uint64_t last_report_utc_ms_ HF_GUARDED_BY(writing_) = 0;
};

}  // namespace holdfast
