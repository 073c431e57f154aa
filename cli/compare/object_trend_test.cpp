#include "cli/compare/object_trend.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "cli/compare/object_trend_json.h"
#include "cli/compare/object_trend_text.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;
constexpr std::uint64_t kMinuteMs = 60'000;
constexpr double kLeast = 16.0 * 1024;

struct Row {
  std::uint32_t identity;
  std::uint64_t retained;
};

ReportView make_report(std::uint64_t minute, const std::vector<Row>& rows,
                       std::uint64_t began = 1) {
  ReportView view;
  view.origin.started_utc_ms = minute * kMinuteMs;
  view.graph.emplace().dominator_depth = 1;
  view.tracking.emplace().began_utc_ms = began;
  for (const Row& from : rows) {
    ObjectView object;
    object.class_name = "shop.Cache";
    object.identity = from.identity;
    object.first_sequence = 1;
    object.retained_bytes = from.retained;
    view.tracking->objects.push_back(object);
  }
  return view;
}

ObjectTrend trend_of(const std::vector<ReportView>& reports) {
  auto series = std::make_unique<ObjectSeries>(reports.size());
  for (const ReportView& view : reports) series->add(view);
  return judge_objects(std::move(series), kLeast);
}

// Twelve reports, ten minutes apart: #1 grows, #2 comes and goes, #3 stays and is told of in every other one, #4 in two.
std::vector<ReportView> shop() {
  std::vector<ReportView> reports;
  for (std::uint64_t i = 0; i < 12; ++i) {
    std::vector<Row> rows{{1, (10 + i) * kMega}, {2, (1 + i % 4) * kMega}};
    if (i % 2 == 0) rows.push_back({3, 7 * kMega});
    if (i > 9) rows.push_back({4, i * kMega});
    reports.push_back(make_report(100 + i * 10, rows));
  }
  return reports;
}

std::string text_of(const ObjectTrend& trend, std::size_t top = 10) {
  Page page(110, false);
  write_object_trend(trend, {top, 12, false}, page);
  return page.text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("objects of a trend: what grows is named first; two points are no series") {
  const ObjectTrend trend = trend_of(shop());
  CHECK(trend.told());
  CHECK(trend.compared.size() == 12);
  REQUIRE(trend.rows.size() == 3);
  CHECK(trend.rows[0].series->identity == 1);
  CHECK(trend.rows[0].growth.course == Course::kGrows);
  CHECK(trend.rows[0].growth.per_hour == doctest::Approx(6.0 * kMega));
  CHECK(trend.rows[1].series->identity == 2);
  CHECK(trend.rows[1].growth.course != Course::kGrows);
  CHECK(trend.rows[2].growth.course == Course::kTooFew);  // known at six points
  CHECK(trend.tests == 2);
  const std::string text = text_of(trend);
  CHECK(has(text, "by what they retain \u00B7 3 of 3"));
  CHECK(has(text, "shop.Cache #1"));
  CHECK(has(text, "+6.0 MB"));
  CHECK_FALSE(has(text, "Not compared"));
  CHECK_FALSE(has(text_of(trend, 1), "#2"));
}

TEST_CASE("objects of a trend: where a report does not tell of an object its size is not known") {
  const ObjectTrend trend = trend_of(shop());
  const auto values = trend.retained(*trend.rows[2].series);
  REQUIRE(values.size() == 12);
  CHECK(values[0] == 7 * kMega);
  CHECK_FALSE(values[1].has_value());
  const Json json = object_row_json(trend, trend.rows[2]);
  CHECK(json["identity"] == 3);
  CHECK(json["course"] == "too_few_reports");
  CHECK(json["retained_bytes"][1].is_null());
  CHECK(json["retained_bytes"][2] == 7 * kMega);
}

TEST_CASE("objects of a trend: one tracking run makes the series") {
  std::vector<ReportView> reports = shop();
  reports[0] = make_report(100, {{1, kMega}, {9, kMega}}, 7);
  reports[1].tracking.reset();
  reports[2].graph.reset();  // without retained sizes
  const ObjectTrend trend = trend_of(reports);
  CHECK(trend.compared == std::vector<std::size_t>{3, 4, 5, 6, 7, 8, 9, 10, 11});
  CHECK(trend.rows[0].first_bytes == 13 * kMega);  // #1 of the other run is another object
  CHECK(has(text_of(trend), "Not compared: 3 reports have no numbers, or those of another"));
  CHECK(object_tracking_json(trend)["points"] == 9);
  CHECK(object_tracking_json(trend)["began_utc_ms"] == 1);
}

TEST_CASE("objects of a trend: of two runs with as many points the later one; none, no section") {
  const ObjectTrend trend = trend_of({make_report(1, {{1, 1}}, 1), make_report(2, {{1, 1}}, 1),
                                      make_report(3, {{1, 1}}, 9), make_report(4, {{1, 1}}, 9)});
  CHECK(trend.compared == std::vector<std::size_t>{2, 3});
  CHECK(trend.rows.empty());
  CHECK(text_of(trend).empty());
  const ObjectTrend none = trend_of({ReportView{}, ReportView{}});
  CHECK_FALSE(none.told());
  CHECK(text_of(none).empty());
  CHECK(object_tracking_json(none).is_null());
}

TEST_CASE("object series: no more points and objects than there is room for") {
  std::vector<Row> rows;
  for (std::uint32_t i = 0; i < kMaxObjects + 5; ++i) rows.push_back({i + 1, 1});
  ObjectSeries series(1);
  series.add(make_report(1, rows));
  series.add(make_report(2, rows));
  CHECK(series.points().size() == 1);
  CHECK(series.objects().size() == kMaxObjects);
  CHECK(series.dropped() == 5);
}
