// The memory accounts of a trend for programs; the keys are described in docs/reference/json-compare.md.
// Shape:  a row an account, with one value for each point of the trend.   Zone: offline.   Errors: none.
#pragma once

#include "cli/compare/account_trend.h"
#include "cli/report/json_value.h"

namespace holdfast::cli {

Json accounting_json(const AccountTrend& trend);  // null: no report has accounts
Json account_row_json(const AccountTrend& trend, const AccountTrendRow& row);

}  // namespace holdfast::cli
