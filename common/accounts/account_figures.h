// Who allocated what: the figures of all accounts at one moment, as a dump takes them along and a report tells them.
// Why rows of the finest kind: sums by account, by pair of account and principal, by class, method or thread are all made from them
// afterwards (analysis/accounts), and nothing has to agree with anything.
// Shape:  accounts[0] is "(unaccounted)", accounts[i] the i-th pattern as it was written. rows in no order, no two with the same key.
//         An amount is what was counted (exact) or an unbiased estimate with its variance (sampled); variances of different rows add up,
//         because each sample belongs to one row.
// Zone:   capture (made), worker and child (read).   Errors: none here.
// Source: Bouché, von Löwis, Tröger: Aggregated Accounting of Memory Usage in Java, sections 3 and 4 (principal, agent, account).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/accounts/account_mode.h"
#include "common/string_table.h"
#include "common/typed_index.h"

namespace holdfast {

// 0: allocated outside all accounts.
using AccountId = std::uint32_t;
inline constexpr AccountId kUnaccounted = 0;
inline constexpr char kUnaccountedName[] = "(unaccounted)";
// The class of the row that takes what finds no row of its own; one for each account.
inline constexpr char kOtherClassesName[] = "(other classes)";
// In the place of a name for which there was no room.
inline constexpr char kOtherName[] = "(other)";

// Standard error = square root of the variance; 0: counted, not estimated.
struct AccountAmount {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  // shallow
  double objects_variance = 0;
  double bytes_variance = 0;
};

struct AccountRow {
  AccountId account = kUnaccounted;
  AccountId principal = kUnaccounted;  // the next other account further down the stack
  StringId class_name;                 // into AccountFigures::strings; as Catalog names classes
  StringId method;                     // "shop.Cache.put"; empty unless asked for
  StringId thread;                     // empty unless asked for
  StringId annotation;         // "user=alice request=/cart"; empty unless asked for and said
  AccountAmount allocated;     // since accounting began
  AccountAmount since_report;  // since the last report that tells accounts
  AccountAmount live;          // not collected yet; exact-live: reachable
  std::uint64_t samples = 0;   // that allocated is made of; 0 in exact mode
};

// What accounting could not do, so that nothing is lost silently.
struct AccountLosses {
  std::uint64_t rows_full =
      0;  // samples or counts that went to the row of their account without class, for want of room
  std::uint64_t stacks_cut = 0;  // stacks without an account in the frames that were looked at
  std::uint64_t live_thinned =
      0;  // live samples, or objects, that were given up for room; the rest stand for them
  std::uint64_t samples_dropped = 0;     // events whose object or stack the VM did not tell
  std::uint64_t classes_left_alone = 0;  // exact: classes, and methods, that could not be rewritten
  std::uint64_t methods_left_alone = 0;
  std::uint64_t threads_shared = 0;     // exact: threads that had no counters of their own
  std::uint64_t annotations_other = 0;  // times that a thread's annotations had no room
};

struct AccountFigures {
  AccountMode mode = AccountMode::kOff;
  std::uint32_t dimensions = 0;  // AccountDimension
  std::uint64_t sample_interval_bytes =
      0;  // mean bytes between samples, by now; also in exact mode, where live amounts are sampled; exact-live: 0
  bool live_known = false;  // false: this VM does not tell which objects died, or live
  std::uint64_t began_utc_ms = 0;
  std::uint64_t last_report_utc_ms = 0;  // 0: none yet
  std::span<const StringId> accounts;
  std::span<const AccountRow> rows;
  StringTable strings;
  AccountLosses losses;
  std::string_view sample_only;   // which samples were taken; empty: all
  std::uint64_t passed_over = 0;  // samples that it left out
};

}  // namespace holdfast
