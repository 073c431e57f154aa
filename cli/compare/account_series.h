// What each memory account had in report after report of one process, for the trend.
// Why one accounting: an agent that is loaded anew knows nothing of what was allocated before, so amounts of two accountings
// make no series. That which has the most points is taken; of as many, the latest.
// Shape:  points are those of ClassSeries, at most kMaxPoints; at most kMaxAccounts accounts, 64 B a point and account, so 8 MB at
//         the limits. An account that a report does not list is not known there.
// Zone:   offline.   Errors: none; accounts beyond the limit are counted in `dropped`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/compare/accounting.h"
#include "cli/compare/bounded_series.h"
#include "cli/compare/class_series.h"

namespace holdfast::cli {

inline constexpr std::size_t kMaxAccounts = 2'000;  // two accountings of as many as a report lists

struct AccountPoint {
  std::uint64_t utc_ms = 0;
  Accounting accounting;
};

struct OneAccount {
  std::string account;
  std::uint64_t listed = 0;  // one bit a point
  std::vector<AmountView> live, allocated;
};

class AccountSeries {
 public:
  explicit AccountSeries(std::size_t points)
      : series_(points < kMaxPoints ? points : kMaxPoints, kMaxAccounts) {}

  // In the order of time, at most as many as there is room for.
  void add(const ReportView& view);

  const std::vector<AccountPoint>& points() const { return series_.points(); }
  const std::vector<OneAccount>& accounts() const { return series_.all(); }
  std::uint64_t dropped() const { return series_.dropped(); }
  // Those of the accounting that makes the series, ascending; empty: no report has accounts.
  std::vector<std::size_t> compared() const;

 private:
  OneAccount* series_of(std::string_view account);

  BoundedSeries<AccountPoint, OneAccount> series_;
};

bool listed_at(const OneAccount& one, std::size_t point);

}  // namespace holdfast::cli
