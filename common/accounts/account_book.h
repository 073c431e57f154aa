// The book that a VM's adapter writes allocations into, and a dump reads: one for a process, from load to its end.
// Why here: sampled or counted, Java or .NET, the figures and their errors are the same.
// Shape:  rows in one hash table of fixed size, keyed by account, principal, class, method, thread; names interned once; live samples in
//         one table of fixed size, a sample's number is its tag. When that is full, each live sample is kept with probability 1/2 from then on, and
//         those that stay stand for those that go (thinning), so estimates stay unbiased.
//         A sample of an object of s bytes at a mean interval of I bytes was taken with p = 1 - exp(-s/I): it stands for 1/p objects and
//         s/p bytes, and adds (1-p)/p^2 and s^2 (1-p)/p^2 to the variances (Horvitz and Thompson). I = 0: every object, p = 1.
// Zone:   open(): load. find_*(), sampled(), died(): event, under a lock of the book's own that is never held across a VM call.
//         read(): capture.
// Errors: kOutOfBudget from open(). Later nothing fails: what finds no room is counted in AccountLosses.
// Source: Horvitz, Thompson: A Generalization of Sampling Without Replacement From a Finite Universe, 1952.
#pragma once

#include <cstdint>
#include <string_view>

#include "common/accounts/account_figures.h"
#include "common/accounts/account_patterns.h"
#include "common/arena.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast {

struct AccountSettings {
  AccountMode mode = AccountMode::kOff;
  std::uint32_t dimensions = 0;
  std::uint64_t sample_interval_bytes = 0;
};

struct AllocationKey {
  AccountId account = kUnaccounted;
  AccountId principal = kUnaccounted;
  StringId class_name;
  StringId method;
  StringId thread;
};

class AccountBook {
 public:
  // The number of a live sample, as a tag: never 0.
  using LiveTag = std::uint64_t;

  AccountBook() = default;
  AccountBook(const AccountBook&) = delete;
  AccountBook& operator=(const AccountBook&) = delete;

  Result<void> open(Arena arena, AccountPatterns patterns,
                    const AccountSettings& settings) noexcept;
  bool is_open() const noexcept { return settings_.mode != AccountMode::kOff; }
  const AccountPatterns& patterns() const noexcept { return patterns_; }
  const AccountSettings& settings() const noexcept { return settings_; }

  // -- event --
  StringId name(std::string_view text) noexcept;  // interned
  // One sampled object. Answers the tag to follow it by, or 0: it is not to be followed.
  LiveTag sampled(const AllocationKey& key, std::uint64_t shallow_bytes) noexcept;
  void died(LiveTag tag) noexcept;

  // -- exact mode, capture: what the adapter has counted so far, in all; before read() --
  void counted(const AllocationKey& key, std::uint64_t objects, std::uint64_t bytes) noexcept;

  void lose(std::uint64_t AccountLosses::*what, std::uint64_t count = 1) noexcept;
  void set_live_known(bool known) noexcept;

  // -- capture --
  // A copy of everything, in `arena`. `reported`: what is allocated from now on counts for the next report.
  Result<AccountFigures> read(Arena& arena) noexcept;
  void reported(std::uint64_t utc_ms) noexcept;

 private:
  AccountPatterns patterns_;
  AccountSettings settings_;
  Arena arena_;
  platforms::Mutex writing_;
};

}  // namespace holdfast
