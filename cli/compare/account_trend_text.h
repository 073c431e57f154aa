// The memory accounts of a trend for a person: each with its course, what was allocated meanwhile, and what cannot be compared.
// Shape:  one table, `top` rows.   Zone: offline.   Errors: none.
#pragma once

#include <cstddef>

#include "cli/compare/account_trend.h"
#include "cli/text/page.h"

namespace holdfast::cli {

struct AccountTrendOptions {
  std::size_t top = 0;
  std::size_t spark_columns = 0;
  bool blocks = true;  // else sparklines in ASCII
};

// Nothing where no report has accounts.
void write_account_trend(const AccountTrend& trend, const AccountTrendOptions& options, Page& page);

}  // namespace holdfast::cli
