#include "cli/report/account_choice.h"

#include <algorithm>

#include "cli/output_file.h"
#include "cli/report/nearest_name.h"
#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::string listed_names(const AccountsView& accounts) {
  std::string text;
  const std::size_t named = std::min(accounts.accounts.rows.size(), kAccountsNamed);
  for (std::size_t i = 0; i < named; ++i)
    text.append(i == 0 ? "" : ", ").append(accounts.accounts.rows[i].account);
  if (accounts.accounts.total > named)
    text += " and " + counted(accounts.accounts.total - named, "more", "more");
  return text;
}

}  // namespace

std::string no_such_account(const ReportView& view, std::string_view account) {
  if (!view.accounts)
    return "this report has no memory accounts: accounting was off (accounts=), or it is of a "
           "version before 1.5";
  if (view.accounts->find(account) != nullptr) return {};
  std::vector<std::string_view> names;
  for (const AccountView& row : view.accounts->accounts.rows) names.push_back(row.account);
  const std::string_view near = nearest_name(account, names);
  return "no account of this report is called '" + std::string(account) + "'" +
         (near.empty() ? "" : "; the nearest name is " + std::string(near)) +
         "; there are: " + listed_names(*view.accounts);
}

void choose_account(ReportView& view, std::string_view account) {
  if (const std::string why = no_such_account(view, account); !why.empty())
    throw Stop{ExitCode::kWrongUsage, "--account: " + why};
  view.accounts = only_account(*view.accounts, account);
}

}  // namespace holdfast::cli
