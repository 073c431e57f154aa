#include "cli/talk/account_watch.h"

#include <algorithm>

namespace holdfast::cli {
namespace {

AmountView amount_view(const WatchedAmount& from) {
  return {from.objects, from.bytes, from.objects_error, from.bytes_error};
}

bool goes_on(const WatchedAccounts& before, const WatchedAccounts& now) {
  return before.on && !before.left_out && before.began_utc_ms == now.began_utc_ms &&
         before.exact == now.exact;
}

}  // namespace

AccountChange AccountWatchRow::change() const {
  AccountChange change;
  change.account = account;
  change.before.live = live_before;
  change.before.allocated = allocated_before;
  change.after.live = live;
  change.after.allocated = allocated;
  return change;
}

const AccountWatchRow* AccountWatch::before(const std::string& account) const {
  const auto at = std::ranges::find(rows_, account, &AccountWatchRow::account);
  return at == rows_.end() ? nullptr : &*at;
}

void AccountWatch::add(const ClassHistogram& histogram) {
  const WatchedAccounts& now = histogram.accounts;
  const bool same = goes_on(facts_, now) && histogram.taken_utc_ms > taken_utc_ms_;
  std::vector<AccountWatchRow> rows;
  for (const WatchedAccount& from : now.rows) {
    AccountWatchRow row;
    row.account = from.name;
    row.live = amount_view(from.live);
    row.allocated = amount_view(from.allocated);
    if (const AccountWatchRow* const one = same ? before(row.account) : nullptr; one != nullptr) {
      row.known_before = true;
      row.live_before = one->live;
      row.allocated_before = one->allocated;
    }
    rows.push_back(std::move(row));
  }
  elapsed_ms_ = same ? static_cast<std::int64_t>(histogram.taken_utc_ms - taken_utc_ms_) : 0;
  rows_ = std::move(rows);
  facts_ = now;
  facts_.rows = {};
  taken_utc_ms_ = histogram.taken_utc_ms;
}

}  // namespace holdfast::cli
