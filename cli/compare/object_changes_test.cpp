#include "cli/compare/object_changes.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr std::uint64_t kMega = 1024 * 1024;

ObjectView object(std::uint32_t number, std::uint64_t retained, std::uint32_t first_sequence = 1) {
  ObjectView view;
  view.class_name = "shop.Cache";
  view.loader = "app";
  view.shallow_bytes = 64;
  view.retained_bytes = retained;
  view.identity = number;
  view.first_sequence = first_sequence;
  return view;
}

ReportView make_report(std::uint32_t sequence, std::vector<ObjectView> objects,
                       std::uint64_t began = 500) {
  ReportView view;
  view.origin.sequence = sequence;
  view.graph.emplace().dominator_depth = 1;
  view.tracking.emplace().began_utc_ms = began;
  view.tracking->objects = std::move(objects);
  return view;
}

std::string text_of(const ObjectChanges& changes, std::size_t top = 10) {
  Page page(100, false);
  write_object_changes(changes, top, page);
  return page.text();
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("objects of two reports: the same by number, by change; new ones, and those not listed") {
  const ReportView before =
      make_report(3, {object(1, 5 * kMega), object(2, 10 * kMega), object(4, 8 * kMega)});
  const ReportView after = make_report(5, {object(1, 4 * kMega), object(2, 50 * kMega),
                                           object(6, 2 * kMega, 2), object(7, kMega, 5)});
  const ObjectChanges changes = object_changes(before, after, true);
  CHECK(changes.told);
  CHECK(changes.retained);
  REQUIRE(changes.rows.size() == 2);
  CHECK(changes.rows[0].after.identity == 2);
  CHECK(changes.rows[0].retained_bytes() == 40 * kMega);
  CHECK(changes.rows[1].retained_bytes() == -static_cast<std::int64_t>(kMega));
  REQUIRE(changes.fresh.size() == 1);  // #6 was there before, too small to be told of
  CHECK(changes.fresh[0].identity == 7);
  REQUIRE(changes.unlisted.size() == 1);
  CHECK(changes.unlisted[0].identity == 4);

  const std::string text = text_of(changes);
  CHECK(has(text, "by change of retained size \u00B7 2 of 2"));
  CHECK(has(text, "shop.Cache #2"));
  CHECK(has(text, "+40.0 MB"));
  CHECK(has(text, "-1.0 MB"));
  CHECK(
      has(text, "1 object is new, 1 of the first report are not in the second: collected, or no"));
  CHECK_FALSE(has(text_of(changes, 1), "shop.Cache #1"));

  const Json json = object_changes_json(changes, kAllRows);
  CHECK(json["same"][0]["identity"] == 2);
  CHECK(json["same"][0]["before"]["retained_bytes"] == 10 * kMega);
  CHECK(json["same"][0]["retained_change_bytes"] == 40 * kMega);
  CHECK(json["new"][0]["identity"] == 7);
  CHECK(json["not_listed"][0]["identity"] == 4);
  const Json first = object_changes_json(changes, 1);
  CHECK(first["same"].size() == 1);
  CHECK(first["same_total"] == 2);
}

TEST_CASE("objects of two processes or of two tracking runs are none of each other") {
  const ReportView before = make_report(1, {object(1, kMega)});
  const ReportView after = make_report(2, {object(1, 2 * kMega)});
  CHECK_FALSE(object_changes(before, after, false).told);
  CHECK_FALSE(object_changes(before, make_report(2, {object(1, kMega)}, 900), true).told);
  CHECK_FALSE(object_changes(before, ReportView{}, true).told);
  CHECK(object_changes_json({}, kAllRows).is_null());
  CHECK(text_of({}).empty());
  CHECK(text_of(object_changes(make_report(1, {}), make_report(2, {}), true)).empty());
}

TEST_CASE("objects: two tracking runs are warned of, none or one is not") {
  const ReportView one = make_report(1, {}), other = make_report(2, {}, 900);
  CHECK(tracking_warnings(one, one).empty());
  CHECK(tracking_warnings(one, ReportView{}).empty());
  CHECK(tracking_warnings(ReportView{}, ReportView{}).empty());
  const auto warnings = tracking_warnings(one, other);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].code == "different_tracking");
}
