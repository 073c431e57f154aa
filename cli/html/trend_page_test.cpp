#include "cli/html/trend_page.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "cli/command_run_for_test.h"
#include "cli/html/page_for_test.h"
#include "cli/output_file.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/report/selection.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

namespace fs = std::filesystem;

// A directory of reports, half an hour apart, that goes when this does.
class Series {
 public:
  explicit Series(int reports = 12, const std::string& session_class = "shop.Session")
      : directory_(fs::path(anchor_.path()).parent_path() / "dumps") {
    fs::create_directory(directory_);
    for (int i = 0; i < reports; ++i) add(i, session_class, 4242);
    add(0, "shop.Other", 7);  // another process
  }

  std::string out() const { return (directory_ / "trend.html").string(); }
  Outcome run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"trend", directory_.string()});
    return run_command(options);
  }
  std::string page(std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--html", out()});
    const Outcome outcome = run(options);
    CHECK_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
    std::ostringstream text;
    text << std::ifstream(out(), std::ios::binary).rdbuf();
    return text.str();
  }
  Json json(std::vector<std::string> options = {}) const {
    options.emplace_back("--json");
    return Json::parse(run(options).out);
  }

 private:
  void add(int nth, const std::string& session_class, std::uint32_t pid) {
    SampleReport sample;
    sample.session_class = session_class;
    sample.pid = pid;
    sample.minutes_later = static_cast<std::uint64_t>(nth) * 30;
    sample.sessions = 1000 + static_cast<std::uint64_t>(nth) * 300;
    if (nth % 3 > 0) sample.more_classes = {{"shop.Cache", 10, 70'000'000, 80'000'000}};
    const std::vector<std::byte> bytes = sample_file(sample);
    std::ofstream(
        directory_ / ("r" + std::to_string(pid + 100u * static_cast<unsigned>(nth)) + ".hfr"),
        std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  }

  TemporaryFile anchor_{{}};
  fs::path directory_;
};

// So many classes of random names and figures.
Json worst_document(std::size_t processes, std::size_t classes) {
  constexpr std::size_t kPoints = 64;
  std::mt19937_64 random(1);
  const auto figures = [&] {
    Json row = Json::array();
    for (std::size_t i = 0; i < kPoints; ++i) row.push_back(random() >> 12);
    return row;
  };
  Json list = Json::array();
  for (std::size_t p = 0; p < processes; ++p) {
    Json rows = Json::array();
    for (std::size_t i = 0; i < classes; ++i)
      rows.push_back({{"class", std::to_string(random()) + std::to_string(random())},
                      {"instances", figures()},
                      {"shallow_bytes", figures()}});
    list.push_back({{"shown", true}, {"classes_total", classes}, {"classes", std::move(rows)}});
  }
  list.push_back({{"shown", false}});
  return {{"processes", std::move(list)}, {"skipped", Json::array()}};
}

}  // namespace

TEST_CASE("page of trend: begins with the mark, forbids everything but its own script and style") {
  check_policy(Series().page(), kTrendPage);
}

TEST_CASE("page of trend: it holds what --json prints, with the same options") {
  const Series series;
  CHECK(document_of(series.page()) == series.json());
  CHECK(document_of(series.page({"--all-processes"})) == series.json({"--all-processes"}));
  const std::vector<std::string> options = {"--class", "shop.*",    "--skip", "*Cache",
                                            "--sort",  "instances", "--top",  "1"};
  const Json chosen = document_of(series.page(options));
  CHECK(chosen == series.json(options));
  CHECK(chosen["processes"][0]["classes"].size() == 1);
}

TEST_CASE("trend --json: points have what the VM says, what is held, and bounds") {
  const Json process = Series().json()["processes"][0];
  const Json& point = process["points"][0];
  CHECK(point["heap_used_bytes"] == 96 * 1024 * 1024);
  CHECK(point["retained_bytes"].get<std::uint64_t>() > 0);
  for (const Json& row : process["classes"])
    if (row["class"] == "shop.Cache") {
      CHECK(row["shallow_bytes"][0].is_null());
      CHECK(row["shallow_bytes"][1] == 70'000'000);
    }
  CHECK(point["at_most"]["shallow_bytes"].get<std::uint64_t>() > 0);
  CHECK(point["at_most"]["shallow_bytes"].get<std::uint64_t>() < 70'000'000);
}

TEST_CASE("page of trend: names are data, whatever they are") {
  const std::string page = Series(3, kHostileName).page();
  CHECK(count(page, "<script") == count(Series(3).page(), "<script"));
  CHECK(count(page, "</script") == 2);
  CHECK(page.find("alert(") == std::string::npos);
  CHECK(page.find("onerror") == std::string::npos);
  const Json document = document_of(page);
  const auto is_hostile = [](const Json& row) { return row["class"] == kHostileName; };
  const Json& rows = document["processes"][0]["classes"];
  CHECK(std::any_of(rows.begin(), rows.end(), is_hostile));
}

TEST_CASE("page of trend: as many classes as there is room for, the same number of each process") {
  CHECK(trend_page_rows(64, kAllRows) == kMostPageValues / 192);
  CHECK(trend_page_rows(64, 10) == 10);
  CHECK(trend_page_rows(1'000'000, kAllRows) == 1);
  CHECK(trend_page_rows(0, kAllRows) > 1000);

  const std::size_t rows = trend_page_rows(64, kAllRows);
  const std::string page = trend_page(worst_document(1, rows), kAllRows);
  MESSAGE("page of the worst trend: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);

  const Json small = document_of(trend_page(worst_document(3, 100), kAllRows, 150'000));
  REQUIRE(small.contains("page_rows_limit"));
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(small["processes"][i]["classes"].size() == small["page_rows_limit"]);
}

TEST_CASE(
    "page of trend: rows that were left out before are told, those that nobody asked for not") {
  Json document = worst_document(1, 10);
  CHECK(!document_of(trend_page(document, kAllRows)).contains("page_rows_limit"));
  document["processes"][0]["classes_total"] = 11;
  CHECK(document_of(trend_page(document, kAllRows))["page_rows_limit"] == 10);
  CHECK(!document_of(trend_page(document, 10)).contains("page_rows_limit"));
}

TEST_CASE("page of trend: accounts are cut as classes are") {
  Json document = worst_document(1, 10);
  Json& process = document["processes"][0];
  process["accounts"] = Json::array();
  for (int i = 0; i < 40; ++i)
    process["accounts"].push_back({{"account", "a" + std::to_string(i)}});
  process["accounts_total"] = 40;
  CHECK(!document_of(trend_page(document, kAllRows)).contains("page_rows_limit"));
  const Json cut = document_of(trend_page(document, 40, trend_page(document, 40).size() - 1));
  CHECK(cut["page_rows_limit"] == 20);
  CHECK(cut["processes"][0]["accounts"].size() == 20);
  CHECK(cut["processes"][0]["classes"].size() == 10);
  process["accounts_total"] = 41;
  CHECK(document_of(trend_page(document, kAllRows))["page_rows_limit"] == 40);
}

TEST_CASE("page of trend: single objects are cut as classes are") {
  Json document = worst_document(1, 10);
  Json& process = document["processes"][0];
  process["objects"] = Json::array();
  for (int i = 1; i <= 40; ++i) process["objects"].push_back({{"identity", i}});
  process["objects_total"] = 41;
  const Json whole = document_of(trend_page(document, kAllRows));
  CHECK(whole["page_rows_limit"] == 40);
  CHECK(whole["processes"][0]["objects"].size() == 40);
}

TEST_CASE("page of trend: too large with one class a process, it is refused") {
  try {
    (void)trend_page(worst_document(1000, 1), kAllRows, 300 * 1024);
    FAIL("it was made");
  } catch (const Stop& stop) {
    CHECK(stop.code == ExitCode::kRefused);
    CHECK(stop.text.ends_with("allowed: 300.0 KB"));
  }
}

TEST_CASE("trend --html: told in two lines; not with --json; nothing of others is lost") {
  const Series series;
  const Outcome outcome = series.run({"--html", series.out()});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find(" grows: ") != std::string::npos);
  CHECK(outcome.out.ends_with("\npage: " + series.out() + "\n"));
  check_refusal(series.run({"--html", series.out(), "--json"}), ExitCode::kWrongUsage,
                {"--html", "--json", "excludes"});
  check_refusal(series.run({"--html", "-"}), ExitCode::kWrongUsage, {"allowed: a file's name"});
  check_refusal(series.run({"--html", "/no/such/place/x.html"}), ExitCode::kRefused,
                {"--html", "No such file or directory"});
  const std::string report = fs::path(series.out()).parent_path() / "r4242.hfr";
  const auto size = fs::file_size(report);
  check_refusal(series.run({"--html", report}), ExitCode::kRefused, {report, "none of ours"});
  CHECK(fs::file_size(report) == size);
  check_refusal(series.run({"--html", series.out() + ".new", "--class", "no.such.*"}),
                ExitCode::kWrongUsage, {"--class"});
  CHECK(!fs::exists(series.out() + ".new"));
}
