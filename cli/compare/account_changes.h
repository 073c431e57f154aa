// Memory accounts of two reports side by side: what each allocated between them, and what it holds now.
// Why a rate: an account that allocates most of everything costs collections, whether or not any of it stays.
// Shape:  a row for every account that both list, by change of what lives (where nobody knows: of what was allocated), the largest
//         change first; O(accounts log accounts). Names point into the reports.
//         Allocated amounts go on from the earlier report only within one accounting: of the same process, begun at the same time.
// Zone:   offline.   Errors: none.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cli/compare/report_facts.h"
#include "cli/report/json_value.h"
#include "cli/report/report_view.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct AccountChange {
  std::string_view account;
  AccountView before, after;

  std::int64_t live_bytes() const;
  // Of the difference: what lives is made of samples of their own in each report.
  AmountView live_errors() const;
  // In between; of two accountings: of the second alone.
  AmountView allocated(bool same_accounting) const;
};

struct AccountChanges {
  bool told = false;             // both have accounts
  bool same_accounting = false;  // allocated amounts of the second include those of the first
  bool live_known = false;
  std::int64_t elapsed_ms = 0;
  std::vector<AccountChange> rows;
};

AccountChanges account_changes(const ReportView& before, const ReportView& after,
                               bool same_process);

// What of the accounts cannot be compared.
std::vector<CompareWarning> account_warnings(const ReportView& before, const ReportView& after,
                                             const PairNames& names = {});

// How one account's change is told, here and in a trend.
std::string live_change_text(const AccountChange& row);  // "+50.0 MB ±2 %", "within ±5.0 MB", "="
std::uint64_t per_second(std::uint64_t amount, std::int64_t elapsed_ms);
std::string rate_text(const AmountView& allocated, std::int64_t elapsed_ms);  // "20.0 MB ±2 %/s"

void write_account_changes(const AccountChanges& changes, std::size_t top, Page& page);
Json account_changes_json(const AccountChanges& changes, std::size_t top);

}  // namespace holdfast::cli
