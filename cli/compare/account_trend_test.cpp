#include "cli/compare/account_trend.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli/compare/account_trend_json.h"
#include "cli/compare/account_trend_text.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;
constexpr std::uint64_t kMinuteMs = 60'000;
constexpr double kLeast = 16.0 * 1024;

struct Row {
  const char* account;
  std::uint64_t live, error = 0, allocated = 0;
};

ReportView make_report(std::uint64_t minute, const std::vector<Row>& rows,
                       std::uint64_t began = 1) {
  ReportView view;
  view.origin.started_utc_ms = minute * kMinuteMs;
  view.accounts.emplace();
  view.accounts->live_known = true;
  view.accounts->began_utc_ms = began;
  for (const Row& from : rows) {
    AccountView row;
    row.account = from.account;
    row.live = {from.live / 100, from.live, from.error / 100, from.error};
    row.allocated = {from.allocated / 100, from.allocated, 0, 0};
    view.accounts->accounts.rows.push_back(row);
  }
  view.accounts->accounts.total = rows.size();
  return view;
}

AccountTrend trend_of(const std::vector<ReportView>& reports,
                      ClassOrder order = ClassOrder::kShallow) {
  auto series = std::make_unique<AccountSeries>(reports.size());
  for (const ReportView& view : reports) series->add(view);
  return judge_accounts(std::move(series), order, kLeast);
}

// Twelve reports, ten minutes apart: one account grows, one comes and goes, one is noise within its error.
std::vector<ReportView> shop() {
  std::vector<ReportView> reports;
  for (std::uint64_t i = 0; i < 12; ++i)
    reports.push_back(
        make_report(100 + i * 10, {{"leak", (10 + i) * kMega, kMega / 100, i * kMega},
                                   {"load", (i % 4) * kMega, 0, i * 50 * kMega},
                                   {"noise", 500 * kMega + i * 100'000, 40 * kMega}}));
  return reports;
}

const AccountTrendRow& row_of(const AccountTrend& trend, std::string_view account) {
  for (const AccountTrendRow& row : trend.rows)
    if (row.series->account == account) return row;
  FAIL("no row for ", account);
  return trend.rows.front();
}

std::string text_of(const AccountTrend& trend, std::size_t top = 10) {
  Page page(110, false);
  write_account_trend(trend, {top, 12, false}, page);
  return page.text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("accounts of a trend: what grows is named first, a rise within its error is none") {
  const AccountTrend trend = trend_of(shop());
  CHECK(trend.told());
  CHECK(trend.compared.size() == 12);
  REQUIRE(trend.rows.size() == 3);
  CHECK(trend.rows[0].series->account == "leak");
  CHECK(trend.rows[0].growth.course == Course::kGrows);
  CHECK(trend.rows[0].growth.per_hour == doctest::Approx(6.0 * kMega));
  CHECK(row_of(trend, "load").growth.course != Course::kGrows);
  CHECK(row_of(trend, "noise").growth.course == Course::kSteady);
  CHECK(trend.tests == 2);
  const std::string text = text_of(trend);
  CHECK(has(text, "by what lives, what grows first \u00B7 3 of 3 accounts"));
  CHECK(has(text, "+6.0 MB"));
  CHECK(has(text, "grows"));
  CHECK_FALSE(has(text, "Not compared"));
  CHECK_FALSE(has(text_of(trend, 1), "load"));
}

TEST_CASE("accounts of a trend: by objects, where instances are judged") {
  const AccountTrend trend = trend_of(shop(), ClassOrder::kInstances);
  CHECK(trend.by_objects);
  CHECK(row_of(trend, "leak").growth.per_hour == doctest::Approx(6.0 * kMega / 100).epsilon(0.001));
  CHECK(accounting_json(trend)["judged_by"] == "live_objects");
  CHECK(has(text_of(trend), "by objects that live"));
}

TEST_CASE("accounts of a trend: one accounting makes the series, the others are told in one line") {
  std::vector<ReportView> reports = shop();
  reports[0] = make_report(100, {{"leak", kMega}, {"old", kMega}}, 7);
  reports[1].accounts.reset();
  reports[5].accounts->exact = true;
  const AccountTrend trend = trend_of(reports);
  CHECK(trend.compared == std::vector<std::size_t>{2, 3, 4, 6, 7, 8, 9, 10, 11});
  CHECK(accounts_left_out(trend) ==
        "1 report has none, 2 reports are of another accounting (begun at other times; 3 accounts "
        "are only in one)");
  CHECK(trend.rows.size() == 3);  // "old" is in none that is compared
  CHECK(row_of(trend, "leak").growth.course == Course::kGrows);
  CHECK(has(text_of(trend), "Not compared: 1 report has none, 2 reports"));
  const Json json = account_row_json(trend, row_of(trend, "leak"));
  CHECK(json["live"]["bytes"].size() == 12);
  CHECK(json["live"]["bytes"][0].is_null());
  CHECK(json["live"]["bytes"][2] == 12 * kMega);
  CHECK(json["allocated"]["bytes"][5].is_null());
  CHECK(json["allocated_bytes_per_second"] == 9 * kMega / (90 * 60));
}

TEST_CASE("accounts of a trend: of two accountings with as many points the later one") {
  const AccountTrend trend =
      trend_of({make_report(1, {{"a", 1}}, 1), make_report(2, {{"a", 1}}, 1),
                make_report(3, {{"a", 1}}, 9), make_report(4, {{"a", 1}}, 9)});
  CHECK(trend.compared == std::vector<std::size_t>{2, 3});
}

TEST_CASE("accounts of a trend: an account that a report does not list is not known there") {
  const AccountTrend trend =
      trend_of({make_report(1, {{"a", 1}}), make_report(2, {{"a", 2}, {"b", 5}}),
                make_report(3, {{"a", 3}, {"b", 7}})});
  const auto values = trend.live(*row_of(trend, "b").series);
  CHECK_FALSE(values[0].has_value());
  CHECK(values[2] == 7);
  CHECK(row_of(trend, "b").change.live_bytes() == 2);
  CHECK(row_of(trend, "b").growth.course == Course::kTooFew);
}

TEST_CASE("accounts of a trend: where nobody knows what lives nothing is judged") {
  std::vector<ReportView> reports = shop();
  for (ReportView& view : reports) view.accounts->live_known = false;
  const AccountTrend trend = trend_of(reports);
  CHECK(trend.rows[0].series->account == "load");  // it allocated most
  CHECK(trend.rows[0].growth.course == Course::kTooFew);
  const Json json = account_row_json(trend, trend.rows[0]);
  CHECK(json["live"].is_null());
  CHECK(json["course"].is_null());
  CHECK(accounting_json(trend)["judged_by"].is_null());
  const std::string text = text_of(trend);
  CHECK(has(text, "by what they allocated"));
  CHECK(has(text, "no account is judged"));
  CHECK_FALSE(has(text, "live first"));
}

TEST_CASE("accounts of a trend: one report has amounts since accounting began; none, no section") {
  const AccountTrend one =
      trend_of({make_report(10, {{"a", kMega, 0, 60 * kMega}}, 9 * kMinuteMs)});
  CHECK(one.rows[0].elapsed_ms == kMinuteMs);
  CHECK(has(text_of(one), "1.0 MB/s"));
  const AccountTrend none = trend_of({ReportView{}, ReportView{}});
  CHECK_FALSE(none.told());
  CHECK(text_of(none).empty());
  CHECK(accounting_json(none).is_null());
}

TEST_CASE("account series: no more points and accounts than there is room for") {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kMaxAccounts + 5; ++i) names.push_back("a" + std::to_string(i));
  std::vector<Row> rows;
  rows.reserve(names.size());
  for (const std::string& name : names) rows.push_back({name.c_str(), 1});
  AccountSeries series(1);
  series.add(make_report(1, rows));
  series.add(make_report(2, rows));
  CHECK(series.points().size() == 1);
  CHECK(series.accounts().size() == kMaxAccounts);
  CHECK(series.dropped() == 5);
}
