#include "cli/compare/accounting.h"

#include <algorithm>
#include <iterator>

#include "cli/text/number_text.h"

namespace holdfast::cli {
namespace {

std::size_t only_in_one(const Accounting& a, const Accounting& b) {
  std::vector<std::string> alone;
  std::ranges::set_symmetric_difference(a.names, b.names, std::back_inserter(alone));
  return alone.size();
}

}  // namespace

Accounting accounting_of(const ReportView& view) {
  Accounting accounting;
  if (!view.accounts) return accounting;
  const AccountsView& from = *view.accounts;
  accounting.told = true;
  accounting.exact = from.exact;
  accounting.live_counted = from.live_counted;
  accounting.live_known = from.live_known;
  accounting.began_utc_ms = from.began_utc_ms;
  accounting.sample_interval_bytes = from.sample_interval_bytes;
  accounting.whole = from.accounts.total <= from.accounts.rows.size();
  for (const AccountView& row : from.accounts.rows) accounting.names.emplace_back(row.account);
  std::ranges::sort(accounting.names);
  return accounting;
}

bool one_accounting(const Accounting& a, const Accounting& b) {
  return a.told && b.told && a.exact == b.exact && a.began_utc_ms == b.began_utc_ms;
}

std::string accounting_difference(const Accounting& before, const Accounting& after) {
  if (!before.told || !after.told) return "";
  std::string text;
  const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
  if (before.began_utc_ms != after.began_utc_ms) add("begun at other times");
  if (before.exact != after.exact || before.live_counted != after.live_counted)
    add(std::string(mode_word(before.exact, before.live_counted)) + ", then " +
        mode_word(after.exact, after.live_counted));
  if (before.live_known != after.live_known) add("only one tells what lives");
  const std::size_t alone = only_in_one(before, after);
  if (before.whole && after.whole && alone > 0)
    add(counted(alone, "account is", "accounts are") + " only in one");
  return text;
}

}  // namespace holdfast::cli
