#include "common/accounts/watched_accounts.h"

#include <algorithm>
#include <cmath>

#include "common/class_histogram.h"

namespace holdfast {

namespace {

struct AccountTotal {
  AccountAmount allocated;
  AccountAmount live;
  AccountId account = kUnaccounted;
};

void add(AccountAmount& sum, const AccountAmount& one) noexcept {
  sum.objects += one.objects;
  sum.bytes += one.bytes;
  sum.objects_variance += one.objects_variance;
  sum.bytes_variance += one.bytes_variance;
}

WatchedAmount watched(const AccountAmount& amount) noexcept {
  const auto error = [](double variance) {
    return static_cast<std::uint64_t>(std::sqrt(variance) + 0.5);
  };
  return {amount.objects, amount.bytes, error(amount.objects_variance),
          error(amount.bytes_variance)};
}

Result<std::span<AccountTotal>> totals_of(const AccountFigures& figures, Arena& arena) noexcept {
  HF_TRY(totals, arena.make_filled<AccountTotal>(figures.accounts.size(), AccountTotal{}));
  for (std::size_t i = 0; i < totals.size(); ++i) totals[i].account = static_cast<AccountId>(i);
  for (const AccountRow& row : figures.rows) {
    if (row.account >= totals.size()) continue;
    add(totals[row.account].allocated, row.allocated);
    add(totals[row.account].live, row.live);
  }
  return totals;
}

void sort_largest(std::span<AccountTotal> totals, bool live_known) noexcept {
  std::sort(totals.begin(), totals.end(),
            [live_known](const AccountTotal& a, const AccountTotal& b) {
              if (live_known && a.live.bytes != b.live.bytes) return a.live.bytes > b.live.bytes;
              if (a.allocated.bytes != b.allocated.bytes)
                return a.allocated.bytes > b.allocated.bytes;
              return a.account < b.account;
            });
}

}  // namespace

std::size_t watched_accounts_bytes(std::uint32_t accounts) noexcept {
  return accounts * sizeof(AccountTotal) + kMaxWatchedAccounts * sizeof(WatchedAccount) +
         2 * Arena::kAlignment;
}

Result<WatchedAccounts> sum_up(const AccountFigures& figures, Arena& arena) noexcept {
  HF_TRY(totals, totals_of(figures, arena));
  sort_largest(totals, figures.live_known);
  const std::size_t count = std::min(totals.size(), kMaxWatchedAccounts);
  HF_TRY(rows, arena.make_filled<WatchedAccount>(count, WatchedAccount{}));
  for (std::size_t i = 0; i < count; ++i) {
    keep_telling_end(figures.strings.view(figures.accounts[totals[i].account]), rows[i].name);
    rows[i].allocated = watched(totals[i].allocated);
    rows[i].live = watched(totals[i].live);
  }
  WatchedAccounts accounts;
  accounts.on = true;
  accounts.exact = counts_allocations(figures.mode);
  accounts.live_known = figures.live_known;
  accounts.began_utc_ms = figures.began_utc_ms;
  accounts.total = static_cast<std::uint32_t>(totals.size());
  accounts.rows = rows;
  return accounts;
}

}  // namespace holdfast
