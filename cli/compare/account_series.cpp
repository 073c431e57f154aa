#include "cli/compare/account_series.h"

namespace holdfast::cli {

bool listed_at(const OneAccount& one, std::size_t point) { return (one.listed >> point & 1) != 0; }

OneAccount* AccountSeries::series_of(std::string_view account) {
  return series_.find_or_add(std::string(account), [&] {
    const std::vector<AmountView> nothing(series_.room());
    return OneAccount{std::string(account), 0, nothing, nothing};
  });
}

void AccountSeries::add(const ReportView& view) {
  if (series_.full()) return;
  const std::size_t at = points().size();
  series_.add_point({view.origin.started_utc_ms, accounting_of(view)});
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
  for (std::size_t first = 0; first < points().size(); ++first) {
    std::vector<std::size_t> same;
    for (std::size_t i = first; i < points().size(); ++i)
      if (one_accounting(points()[first].accounting, points()[i].accounting)) same.push_back(i);
    if (!same.empty() && same.size() >= best.size()) best = std::move(same);
  }
  return best;
}

}  // namespace holdfast::cli
