// The memory account that somebody names: --account, and account('NAME') of assertions.
// Why exact names, not patterns: an account's name is a pattern itself.
// Shape:  O(accounts x length).   Zone: offline.
// Errors: no_such_account() is the line that says why there is none: no accounts in the report, or those that are there.
#pragma once

#include <string>
#include <string_view>

#include "cli/report/report_view.h"

namespace holdfast::cli {

inline constexpr std::size_t kAccountsNamed = 20;  // in one line; more are counted

// Empty: the report has it.
std::string no_such_account(const ReportView& view, std::string_view account);
// Leaves only this account. Throws Stop (2) where there is none.
void choose_account(ReportView& view, std::string_view account);

}  // namespace holdfast::cli
