#include "cli/compare/account_changes.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

AccountView account(std::string_view name, AmountView allocated, AmountView live) {
  AccountView row;
  row.account = name;
  row.allocated = allocated;
  row.live = live;
  return row;
}

ReportView make_report(std::uint64_t at_ms, std::vector<AccountView> rows) {
  ReportView view;
  view.origin.started_utc_ms = at_ms;
  view.accounts.emplace();
  view.accounts->live_known = true;
  view.accounts->began_utc_ms = 500;
  view.accounts->accounts = {std::move(rows), 0};
  return view;
}

std::string text_of(const AccountChanges& changes) {
  Page page(100, false);
  write_account_changes(changes, 10, page);
  return page.text();
}

}  // namespace

TEST_CASE("accounts of two reports: what lives, and what was allocated each second in between") {
  const ReportView before =
      make_report(1000, {account("a", {10, 100 * kMega, 3, 3 * kMega}, {1, 10 * kMega, 0, 0}),
                         account("b", {5, 50 * kMega, 0, 0}, {1, 30 * kMega, 0, 4 * kMega}),
                         account("gone", {1, 1, 0, 0}, {1, 1, 0, 0})});
  const ReportView after =
      make_report(11'000, {account("a", {30, 300 * kMega, 5, 5 * kMega}, {2, 60 * kMega, 0, kMega}),
                           account("b", {5, 50 * kMega, 0, 0}, {1, 28 * kMega, 0, 3 * kMega}),
                           account("new", {1, 1, 0, 0}, {1, 1, 0, 0})});
  const AccountChanges changes = account_changes(before, after, true);
  CHECK(changes.told);
  CHECK(changes.same_accounting);
  REQUIRE(changes.rows.size() == 2);
  CHECK(changes.rows[0].account == "a");
  CHECK(changes.rows[0].live_bytes() == 50 * kMega);
  const AmountView allocated = changes.rows[0].allocated(true);
  CHECK(allocated.objects == 20);
  CHECK(allocated.bytes == 200 * kMega);
  CHECK(allocated.bytes_error == 4 * kMega);  // of 3 and 5: the samples of the first are in both
  CHECK(changes.rows[1].live_bytes() == -2 * static_cast<std::int64_t>(kMega));

  const Json json = account_changes_json(changes, kAllRows);
  CHECK(json[0]["allocated_bytes_per_second"] == 20 * kMega);
  CHECK(json[0]["live_change_bytes"] == 50 * kMega);
  CHECK(json[1]["live_change_bytes_error"] == 5 * kMega);
  const std::string text = text_of(changes);
  CHECK(text.find("+50.0 MB ±2 %") != std::string::npos);
  CHECK(text.find("20.0 MB ±2 %/s") != std::string::npos);
  CHECK(text.find("within ±5.0 MB") != std::string::npos);
}

TEST_CASE("accounts of two processes, or of two accountings, have no rate") {
  const ReportView before = make_report(1000, {account("a", {1, 100, 0, 0}, {1, 10, 0, 0})});
  ReportView after = make_report(2000, {account("a", {1, 50, 0, 0}, {1, 20, 0, 0})});
  CHECK_FALSE(account_changes(before, after, false).same_accounting);
  CHECK_FALSE(account_changes(after, before, true).same_accounting);
  after.accounts->began_utc_ms = 1500;
  const AccountChanges changes = account_changes(before, after, true);
  CHECK_FALSE(changes.same_accounting);
  CHECK(account_changes_json(changes, kAllRows)[0]["allocated_bytes_per_second"].is_null());
  CHECK(text_of(changes).find("per second") == std::string::npos);
}

TEST_CASE("accounts: what two accountings do not share is said in one line") {
  const ReportView one = make_report(1000, {account("a", {}, {}), account("b", {}, {})});
  CHECK(account_warnings(one, one).empty());
  CHECK(account_warnings(ReportView{}, ReportView{}).empty());
  ReportView other = make_report(2000, {account("a", {}, {}), account("c", {}, {})});
  other.accounts->began_utc_ms = 1500;
  other.accounts->exact = true;
  other.accounts->live_known = false;
  const auto warnings = account_warnings(one, other);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].code == "different_accounting");
  CHECK(warnings[0].text ==
        "the memory accounts are not of one accounting (begun at other times; sampled, then exact; "
        "only one tells what lives; 2 accounts are only in one): of those in both is compared what "
        "both tell");
  other.accounts->accounts.total = 9;  // then nobody knows which accounts there are
  CHECK(account_warnings(one, other)[0].text.find("only in one)") == std::string::npos);
}

TEST_CASE("accounts that only one report has are not compared") {
  const ReportView with = make_report(1000, {});
  CHECK(account_warnings(ReportView{}, with)[0].text ==
        "only the second report has memory accounts: there are none to compare");
  CHECK(account_warnings(with, ReportView{})[0].code == "no_accounts");
  const AccountChanges changes = account_changes(ReportView{}, with, true);
  CHECK_FALSE(changes.told);
  CHECK(account_changes_json(changes, kAllRows).is_null());
  CHECK(text_of(changes).empty());
}
