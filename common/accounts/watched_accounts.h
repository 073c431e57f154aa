// What each account has at one moment, summed up for those who watch.
// Why not the figures themselves: they are megabytes, and a watcher wants a line an account.
// Shape:  the kMaxWatchedAccounts largest, by what lives, where nobody knows that by what was allocated; names are cut to their telling end.
//         Errors are standard errors, 0 where it was counted. O(rows + accounts log accounts), 72 B an account while it is summed up.
// Zone:   sum_up(): capture. The values: under the lock of kept_histogram.h.
// Errors: sum_up(): kOutOfBudget; after it nothing is left in the arena that matters.
#pragma once

#include "common/accounts/account_figures.h"
#include "common/arena.h"

namespace holdfast {

inline constexpr std::size_t kMaxWatchedAccounts = 64;
inline constexpr std::size_t kMaxAccountName = 128;

struct WatchedAmount {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;  // shallow
  std::uint64_t objects_error = 0;
  std::uint64_t bytes_error = 0;
};

struct WatchedAccount {
  char name[kMaxAccountName] = "";
  WatchedAmount allocated;  // since accounting began
  WatchedAmount live;
};

struct WatchedAccounts {
  bool on = false;        // false: accounting is off, and nothing else holds
  bool left_out = false;  // memory= had no room to sum them up
  bool exact = false;     // allocated amounts were counted
  bool live_known = false;
  std::uint64_t began_utc_ms = 0;
  std::uint32_t total = 0;  // accounts, rows or not
  std::span<const WatchedAccount> rows;
};

// Room for the sums of so many accounts.
std::size_t watched_accounts_bytes(std::uint32_t accounts) noexcept;
// `rows` lie in the arena.
Result<WatchedAccounts> sum_up(const AccountFigures& figures, Arena& arena) noexcept;

}  // namespace holdfast
