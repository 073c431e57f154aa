#include "cli/compare/account_series.h"

namespace holdfast::cli {

bool listed_at(const OneAccount& one, std::size_t point) { return (one.listed >> point & 1) != 0; }

OneAccount* AccountSeries::series_of(std::string_view account) {
  if (const auto at = places_.find(account); at != places_.end()) return &accounts_[at->second];
  if (accounts_.size() >= kMaxAccounts) {
    ++dropped_;
    return nullptr;
  }
  places_.emplace(account, accounts_.size());
  OneAccount one{std::string(account), 0, {}, {}};
  one.live.resize(room_);
  one.allocated.resize(room_);
  accounts_.push_back(std::move(one));
  return &accounts_.back();
}

void AccountSeries::add(const ReportView& view) {
  if (points_.size() >= room_) return;
  const std::size_t at = points_.size();
  points_.push_back({view.origin.started_utc_ms, accounting_of(view)});
  if (!view.accounts) return;
  for (const AccountView& row : view.accounts->accounts.rows) {
    OneAccount* const one = series_of(row.account);
    if (one == nullptr) continue;
    one->listed |= std::uint64_t{1} << at;
    one->live[at] = row.live;
    one->allocated[at] = row.allocated;
  }
}

std::vector<std::size_t> AccountSeries::compared() const {
  std::vector<std::size_t> best;
  for (std::size_t first = 0; first < points_.size(); ++first) {
    std::vector<std::size_t> same;
    for (std::size_t i = first; i < points_.size(); ++i)
      if (one_accounting(points_[first].accounting, points_[i].accounting)) same.push_back(i);
    if (!same.empty() && same.size() >= best.size()) best = std::move(same);
  }
  return best;
}

}  // namespace holdfast::cli
