#include "cli/compare/account_changes.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/compare/accounting.h"
#include "cli/compare/change_text.h"
#include "cli/text/estimate_text.h"
#include "cli/text/number_text.h"
#include "cli/text/table.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kLeastAccountColumns = 16;
constexpr std::uint64_t kMsPerSecond = 1000;

std::uint64_t size_of(std::int64_t change) {
  return change < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(change)
                    : static_cast<std::uint64_t>(change);
}

std::uint64_t root_of_squares(std::uint64_t a, std::uint64_t b) {
  return static_cast<std::uint64_t>(std::hypot(static_cast<double>(a), static_cast<double>(b)) +
                                    0.5);
}

std::uint64_t less(std::uint64_t a, std::uint64_t b) { return a - std::min(a, b); }

// Of the same samples and more: variances are subtracted.
std::uint64_t error_between(std::uint64_t before, std::uint64_t after) {
  const auto a = static_cast<double>(before), b = static_cast<double>(after);
  return b <= a ? 0 : static_cast<std::uint64_t>(std::sqrt(b * b - a * a) + 0.5);
}

}  // namespace

std::int64_t AccountChange::live_bytes() const {
  return static_cast<std::int64_t>(after.live.bytes - before.live.bytes);
}

AmountView AccountChange::live_errors() const {
  return {0, 0, root_of_squares(before.live.objects_error, after.live.objects_error),
          root_of_squares(before.live.bytes_error, after.live.bytes_error)};
}

std::uint64_t per_second(std::uint64_t amount, std::int64_t elapsed_ms) {
  if (elapsed_ms <= 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(amount) * kMsPerSecond /
                                    static_cast<double>(elapsed_ms));
}

std::string live_change_text(const AccountChange& row) {
  const std::int64_t change = row.live_bytes();
  const std::uint64_t error = row.live_errors().bytes_error;
  if (change == 0) return "=";
  // A change within its error may be none.
  if (error >= size_of(change)) return "within ±" + human_bytes(error);
  return (change < 0 ? "-" : "+") + estimated_bytes(size_of(change), error);
}

std::string rate_text(const AmountView& allocated, std::int64_t elapsed_ms) {
  if (elapsed_ms <= 0) return "-";
  return estimated_bytes(per_second(allocated.bytes, elapsed_ms),
                         per_second(allocated.bytes_error, elapsed_ms)) +
         "/s";
}

AmountView AccountChange::allocated(bool same_accounting) const {
  if (!same_accounting) return after.allocated;
  const AmountView &a = before.allocated, &b = after.allocated;
  return {less(b.objects, a.objects), less(b.bytes, a.bytes),
          error_between(a.objects_error, b.objects_error),
          error_between(a.bytes_error, b.bytes_error)};
}

AccountChanges account_changes(const ReportView& before, const ReportView& after,
                               bool same_process) {
  AccountChanges changes;
  if (!before.accounts || !after.accounts) return changes;
  changes.told = true;
  changes.elapsed_ms =
      static_cast<std::int64_t>(after.origin.started_utc_ms - before.origin.started_utc_ms);
  changes.same_accounting = same_process && changes.elapsed_ms > 0 &&
                            one_accounting(accounting_of(before), accounting_of(after));
  changes.live_known = before.accounts->live_known && after.accounts->live_known;
  for (const AccountView& row : after.accounts->accounts.rows)
    if (const AccountView* const one = before.accounts->find(row.account); one != nullptr)
      changes.rows.push_back({row.account, *one, row});
  const auto weight = [&](const AccountChange& row) {
    return changes.live_known ? size_of(row.live_bytes())
                              : row.allocated(changes.same_accounting).bytes;
  };
  std::ranges::stable_sort(changes.rows, std::ranges::greater{}, weight);
  return changes;
}

std::vector<CompareWarning> account_warnings(const ReportView& before, const ReportView& after,
                                             const PairNames& names) {
  const Accounting a = accounting_of(before), b = accounting_of(after);
  if (a.told != b.told)
    return {{"no_accounts", "only " + (a.told ? names.before : names.after) +
                                " has memory accounts: there are none to compare"}};
  const std::string difference = accounting_difference(a, b);
  if (difference.empty()) return {};
  return {{"different_accounting", "the memory accounts are not of one accounting (" + difference +
                                       "): of those in both is compared what both tell"}};
}

void write_account_changes(const AccountChanges& changes, std::size_t top, Page& page) {
  if (!changes.told || changes.rows.empty()) return;
  const std::size_t shown = std::min(top, changes.rows.size());
  page.heading(
      "MEMORY ACCOUNTS",
      std::string(changes.live_known ? "by change of what lives" : "by what they allocated") +
          " · " + thousands(shown) + " of " + thousands(changes.rows.size()));
  std::vector<Column> columns{{"account", ColumnKind::kName, kLeastAccountColumns}};
  if (changes.live_known)
    columns.insert(columns.end(), {{"live before", ColumnKind::kNumber, 0, true},
                                   {"after", ColumnKind::kNumber, 0, true},
                                   {"change"}});
  if (changes.same_accounting) columns.insert(columns.end(), {{"allocated"}, {"per second"}});
  Table table(std::move(columns));
  for (std::size_t i = 0; i < shown; ++i) {
    const AccountChange& row = changes.rows[i];
    const AmountView allocated = row.allocated(changes.same_accounting);
    std::vector<Span> cells{{std::string(row.account)}};
    if (changes.live_known)
      cells.insert(cells.end(),
                   {{estimated_bytes(row.before.live.bytes, row.before.live.bytes_error)},
                    {estimated_bytes(row.after.live.bytes, row.after.live.bytes_error)},
                    {live_change_text(row), change_style(row.live_bytes())}});
    if (changes.same_accounting)
      cells.insert(cells.end(), {{estimated_bytes(allocated.bytes, allocated.bytes_error)},
                                 {rate_text(allocated, changes.elapsed_ms)}});
    table.row(std::move(cells));
  }
  table.write(page);
}

Json account_changes_json(const AccountChanges& changes, std::size_t top) {
  if (!changes.told) return nullptr;
  Json rows = Json::array();
  for (std::size_t i = 0; i < std::min(top, changes.rows.size()); ++i) {
    const AccountChange& row = changes.rows[i];
    const AmountView allocated = row.allocated(changes.same_accounting);
    Json json{{"account", row.account}};
    json["live_before"] = changes.live_known ? amount_json(row.before.live) : Json(nullptr);
    json["live_after"] = changes.live_known ? amount_json(row.after.live) : Json(nullptr);
    json["live_change_bytes"] = changes.live_known ? Json(row.live_bytes()) : Json(nullptr);
    json["live_change_bytes_error"] =
        changes.live_known ? Json(row.live_errors().bytes_error) : Json(nullptr);
    json["allocated"] = changes.same_accounting ? amount_json(allocated) : Json(nullptr);
    json["allocated_bytes_per_second"] = changes.same_accounting
                                             ? Json(per_second(allocated.bytes, changes.elapsed_ms))
                                             : Json(nullptr);
    rows.push_back(std::move(json));
  }
  return rows;
}

}  // namespace holdfast::cli
