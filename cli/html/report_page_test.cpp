#include "cli/html/report_page.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "analysis/report/reader.h"
#include "analysis/report/report_fixture.h"
#include "cli/html/packed_document.h"
#include "cli/html/page_file.h"
#include "cli/html/page_for_test.h"
#include "cli/html/worst_report_for_test.h"
#include "cli/report/sample_report_for_test.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

std::string page_of(const SampleReport& sample) {
  const std::vector<std::byte> file = sample_file(sample);
  const auto report = analysis::check_report(file);
  REQUIRE(report.ok());
  return report_page(make_report_view(**report, file.size()));
}

}  // namespace

TEST_CASE("page: begins with the mark, forbids everything but its own script and style") {
  const std::string page = page_of({});
  check_policy(page, kReportPage);
}

TEST_CASE("page: names are data, whatever they are") {
  const std::string page =
      page_of({.session_class = kHostileName, .thread_name = kHostileName, .note = kHostileName});
  const std::string harmless = page_of({});
  CHECK(count(page, "<script") == count(harmless, "<script"));
  CHECK(count(page, "</script") == 2);
  CHECK(page.find("alert(") == std::string::npos);
  CHECK(page.find("onerror") == std::string::npos);
  const auto document = nlohmann::json::parse(packed_of(page));
  const auto is_hostile = [](const auto& text) { return text == kHostileName; };
  CHECK(std::any_of(document["texts"].begin(), document["texts"].end(), is_hostile));
}

TEST_CASE("packed document: each text once, numbers and keys as they were") {
  const Json packed = with_texts_once(
      {{"a", "x"}, {"list", {"x", "y", Json{{"b", "x"}}}}, {"n", 36}, {"none", nullptr}});
  CHECK(packed["texts"].size() == 2);
  const auto text = [&](const Json& value) {
    return packed["texts"][std::stoul(value.get<std::string>(), nullptr, 36)].get<std::string>();
  };
  const Json& document = packed["document"];
  CHECK(text(document["a"]) == "x");
  CHECK(text(document["list"][1]) == "y");
  CHECK(text(document["list"][2]["b"]) == "x");
  CHECK(document["n"] == 36);
  CHECK(document["none"].is_null());
}

TEST_CASE("page: names of 10,000 characters, invalid UTF-8") {
  const std::string page = page_of({.session_class = std::string(10'000, 'x')});
  CHECK(page.size() < page_of({}).size() + 2000);
  CHECK_NOTHROW(with_texts_once({{"a", "\xff"}}));
  CHECK_NOTHROW(packed_document({{"a", "\xff"}}));
}

TEST_CASE("page: the licence of what is bundled goes along with each copy") {
  const std::string page = page_of({});
  CHECK(page.find("d3-hierarchy: Copyright") != std::string::npos);
  // Of the licence that it has, ISC's or the BSD licence's.
  CHECK((page.find("this permission notice appear in all copies") != std::string::npos ||
         page.find("this list of conditions and the following disclaimer") != std::string::npos));
}

TEST_CASE("page: the same report gives the same page") { CHECK(page_of({}) == page_of({})); }

TEST_CASE("page: under 3 MB where everything is at its limit and nothing packs well" *
          doctest::skip(!all_tries())) {
  const WorstReport worst;
  const std::string page = report_page(worst.view());
  MESSAGE("page of the worst report: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);

  const std::string small = report_page(worst.view(), kAllRows, 300'000);
  CHECK(small.size() < 300'000);
  const auto document = nlohmann::json::parse(packed_of(small))["document"];
  REQUIRE(document.contains("page_rows_limit"));
  CHECK(document["classes"].size() == document["page_rows_limit"]);
  CHECK(document["classes_total"] == 0);
  CHECK_THROWS_AS(report_page(worst.view(), kAllRows, 20'000), Stop);
}

TEST_CASE("page: of the largest report that the writer makes") {
  analysis::ReportFixture fixture({.classes = 9000,
                                   .loaders = 800,
                                   .packages = 700,
                                   .threads = 600,
                                   .objects = 20000,
                                   .tree = 2000,
                                   .tops = 50,
                                   .suspects = 20,
                                   .accounts = 1000,
                                   .age_ranges = 8,
                                   .path_steps = 64,
                                   .name_bytes = 500});
  const auto image = fixture.image();
  const auto report = analysis::check_report(image);
  REQUIRE(report.ok());
  const std::string page = report_page(make_report_view(**report, image.size()));
  MESSAGE("page of a report of " << image.size() << " bytes: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);
  CHECK(packed_of(page).find("page_rows_limit") == std::string::npos);
}

TEST_CASE("page file: complete, private, replaces pages and nothing else") {
  const TemporaryFile report(sample_file({}));
  const std::string directory = report.path().substr(0, report.path().rfind('/'));
  const std::string out = directory + "/page.html";
  const auto write = [&](const std::string& path, const std::string& page) {
    OutputFile file = page_file(path);
    file.check();
    write_page(file, page);
  };
  const auto content = [](const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  };
  write(out, std::string(kPageMark) + "first");
  write(out, std::string(kPageMark) + "second");
  CHECK(content(out) == std::string(kPageMark) + "second");

  const std::string before = content(report.path());
  CHECK_THROWS_AS(write(report.path(), std::string(kPageMark)), Stop);
  CHECK(content(report.path()) == before);
  std::ofstream(directory + "/letter.html") << "<!doctype html>\n<p>Dear";
  CHECK_THROWS_AS(write(directory + "/letter.html", std::string(kPageMark)), Stop);
  CHECK_THROWS_AS(write(directory + "/none/page.html", std::string(kPageMark)), Stop);
}
