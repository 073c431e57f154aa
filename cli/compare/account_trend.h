// What `holdfast trend` says of a process' memory accounts, as values: what of each lives, and does that grow.
// Why what lives is judged, and not what was allocated: the latter only ever rises.
// Shape:  rows point into the series; what grows first, then by change of what lives (where nobody knows that: by what was allocated).
//         Errors of estimates count: a rise within the standard error of its two ends is none.
// Zone:   offline.   Errors: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/compare/account_changes.h"
#include "cli/compare/account_series.h"
#include "cli/compare/comparison.h"
#include "cli/compare/growth_judgment.h"

namespace holdfast::cli {

struct AccountTrendRow {
  const OneAccount* series = nullptr;
  AccountChange
      change;  // from the first report that lists it to the last; of a single point from nothing
  std::int64_t elapsed_ms = 0;  // in between; of a single point since accounting began
  Growth growth;
};

struct AccountTrend {
  std::unique_ptr<AccountSeries> series;
  std::vector<std::size_t> compared;  // points of the series
  bool by_objects = false;            // else by bytes
  bool live_known = false;
  std::vector<AccountTrendRow> rows;
  std::size_t tests = 0;  // accounts that changed enough to be looked at

  bool told() const { return !compared.empty(); }
  const Accounting& accounting() const { return series->points()[compared.back()].accounting; }
  // What lives at each point of all; absent where it is not known.
  std::vector<std::optional<std::uint64_t>> live(const OneAccount& one) const;
};

// `least_rise`: what is worth a word, as with classes.
AccountTrend judge_accounts(std::unique_ptr<AccountSeries> series, ClassOrder order,
                            double least_rise);

// Reports whose accounts are not in the series, and why; empty: all are.
std::string accounts_left_out(const AccountTrend& trend);

}  // namespace holdfast::cli
