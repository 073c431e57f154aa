#include "cli/export/row_text.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>

#include "analysis/report/reader.h"
#include "cli/report/sample_report_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

constexpr RowKind kKinds[] = {RowKind::kClasses, RowKind::kObjects, RowKind::kPackages,
                              RowKind::kLoaders, RowKind::kThreads, RowKind::kSuspects,
                              RowKind::kAges,    RowKind::kHolders};

std::vector<Row> rows_of(const SampleReport& sample, RowKind kind) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  std::vector<Row> rows;
  report_rows(make_report_view(**report, file.size()), kind, "dumps/shop.hfr",
              [&](const Row& row) { rows.push_back(row); });
  return rows;
}

std::uint64_t sum(const std::vector<Row>& rows, const char* column) {
  std::uint64_t total = 0;
  for (const Row& row : rows) total += row[column].get<std::uint64_t>();
  return total;
}

}  // namespace

TEST_CASE("rows: every row has the columns of the header, and who it was") {
  for (const RowKind kind : kKinds) {
    const std::vector<std::string> columns = row_columns(kind);
    const std::vector<Row> rows = rows_of({.ages = true}, kind);
    REQUIRE(!rows.empty());
    for (const Row& row : rows) {
      std::vector<std::string> keys;
      for (const auto& cell : row.items()) keys.push_back(cell.key());
      CHECK(keys == columns);
      CHECK(row["file"] == "dumps/shop.hfr");
      CHECK(row["host"] == "web1");
      CHECK(row["main"] == "shop.Main");
      CHECK(row["pid"] == 4242);
      CHECK(row["started_utc_ms"] == 1'795'249'412'004);
    }
  }
}

TEST_CASE("rows: the sum over all classes is the heap, listed or not") {
  const std::vector<Row> rows = rows_of({.simple = true}, RowKind::kClasses);
  REQUIRE(rows.size() == 6);
  CHECK(rows.back()["rest"] == true);
  CHECK(rows.back()["class"].is_null());
  CHECK(sum(rows, "instances") == 4812 + 41 + 31'204 + 20'000 + 54'321 + 30'622);
  CHECK(rows.front()["retained_bytes"].is_null());
  CHECK(rows.front()["kind"] == "simple");
  const std::vector<Row> extended = rows_of({}, RowKind::kClasses);
  CHECK(extended.front()["retained_bytes"] == 61 * 1024 * 1024);
  CHECK(extended.front()["rest"] == false);
  CHECK(extended.back()["retained_bytes"].is_null());
}

TEST_CASE(
    "rows: a place that refers to instances each, and the rest of a class; none where it is not "
    "told") {
  const std::vector<Row> rows = rows_of({}, RowKind::kHolders);
  REQUIRE(rows.size() == 8);
  CHECK(rows[0]["class"] == "byte[]");
  CHECK(rows[0]["place"] == "java.lang.String.value");
  CHECK(rows[0]["referrer_class"] == "java.lang.String");
  CHECK(rows[0]["referrers"] == 31'000);
  CHECK(rows[2]["rest"] == true);
  CHECK(rows[2]["place"].is_null());
  CHECK(rows[2]["references"] == 41);
  CHECK(rows[5]["root_kind"] == "stack_local");
  CHECK(rows[5]["referrers"].is_null());
  CHECK(rows_of({.before_1_4 = true}, RowKind::kHolders).empty());
}

TEST_CASE("rows: ages of classes, and of all that are not listed; none where they are not told") {
  const std::vector<Row> rows = rows_of({.ages = true}, RowKind::kAges);
  REQUIRE(rows.size() == 4);
  CHECK(rows[0]["class"] == "shop.Session");
  CHECK(rows[0]["old_instances"] == 4500);
  CHECK(rows[0]["old_bytes"] == 4500 * 32);
  CHECK(rows[0]["distinct_ages"] == 11);
  CHECK(rows[0]["rest"] == false);
  CHECK(rows[3]["class"].is_null());
  CHECK(rows[3]["instances"] == 30'015);
  CHECK(rows[3]["rest"] == true);
  CHECK(rows_of({}, RowKind::kAges).empty());
}

TEST_CASE("rows: suspects and objects say what holds them") {
  const Row suspect = rows_of({}, RowKind::kSuspects).front();
  CHECK(suspect["holder_class"] == "shop.SessionRegistry");
  CHECK(suspect["share"] == 0.72);
  const Row object = rows_of({}, RowKind::kObjects).front();
  CHECK(object["root_kind"] == "system_class");
  CHECK(object["path"] ==
        "static shop.SessionRegistry.SESSIONS > java.util.concurrent.ConcurrentHashMap");
}

TEST_CASE("rows: objects have their numbers, where they have any") {
  CHECK(rows_of({}, RowKind::kObjects).front()["identity"].is_null());
  const auto rows = rows_of({.tracking = true, .minutes_later = 30}, RowKind::kObjects);
  CHECK(rows.front()["identity"] == 2);
  CHECK(rows.front()["first_sequence"] == 1);
  CHECK(rows.back()["first_sequence"] == 31);
}

TEST_CASE("rows as text: hostile names arrive whole in JSON lines and stay in their field in CSV") {
  const std::string hostile = "=a,\"b\"\r\n\x1b[2J\u202e";
  const Row row = rows_of({.session_class = hostile}, RowKind::kClasses).front();
  const std::string line = json_line(row);
  CHECK(std::count(line.begin(), line.end(), '\n') == 1);
  CHECK(Row::parse(line)["class"] == hostile);
  CHECK(csv_line(row).find(",\"'=a,\"\"b\"\"\r\n\x1b[2J\u202e\",app,4812,") != std::string::npos);
  const std::string name(10'000, 'x');
  CHECK(csv_line(rows_of({.session_class = name}, RowKind::kClasses).front()).find(name) !=
        std::string::npos);
}

TEST_CASE("rows as text: CSV has one header, empty fields for null, and valid UTF-8") {
  CHECK(csv_header(row_columns(RowKind::kLoaders)) ==
        "file,host,main,pid,started_utc_ms,kind,loader,classes,instances,shallow_bytes,"
        "retained_bytes,builtin,rest\r\n");
  const Row row{{"a", nullptr}, {"b", "\xff"}, {"c", 1.5}, {"d", false}, {"e", nullptr}};
  CHECK(csv_line(row) == ",\uFFFD,1.5,false,\r\n");
  CHECK(json_line(row) == "{\"a\":null,\"b\":\"\uFFFD\",\"c\":1.5,\"d\":false,\"e\":null}\n");
}
