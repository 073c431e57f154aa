#include "cli/html/diff_page.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command_run_for_test.h"
#include "cli/html/page_for_test.h"
#include "cli/html/worst_report_for_test.h"
#include "cli/output_file.h"
#include "cli/report/sample_report_for_test.h"
#include "common/tries_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

class Pair {
 public:
  explicit Pair(const SampleReport& before = {.sessions = 1000},
                const SampleReport& after = {.minutes_later = 62})
      : before_(sample_file(before), "a.hfr"), after_(sample_file(after), "b.hfr") {}

  std::string out() const { return after_.path() + ".html"; }
  Outcome run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"diff", before_.path(), after_.path()});
    return run_command(options);
  }
  std::string page(std::vector<std::string> options = {}) const {
    options.insert(options.end(), {"--html", out()});
    CHECK(run(options).code == ExitCode::kDone);
    std::ostringstream text;
    text << std::ifstream(out(), std::ios::binary).rdbuf();
    return text.str();
  }
  Json json(std::vector<std::string> options = {}) const {
    options.emplace_back("--json");
    return Json::parse(run(options).out);
  }

 private:
  TemporaryFile before_, after_;
};

Diff worst_diff(const WorstReport& before, const WorstReport& after) {
  return make_diff(before.view(), after.view(), "a.hfr", "b.hfr", std::nullopt, {});
}

}  // namespace

TEST_CASE("page of diff: begins with the mark, forbids everything but its own script and style") {
  check_policy(Pair().page(), kDiffPage);
}

TEST_CASE("page of diff: memory accounts are in it") {
  const Pair pair({.accounts = true, .sessions = 1000}, {.accounts = true, .minutes_later = 62});
  const Json document = document_of(pair.page());
  CHECK(document == pair.json());
  CHECK(document["accounts"][0]["account"] == "shop.*");
}

TEST_CASE("page of diff: objects with numbers are in it") {
  const Pair pair({.tracking = true, .sessions = 1000}, {.tracking = true, .minutes_later = 62});
  const Json document = document_of(pair.page());
  CHECK(document == pair.json());
  CHECK(document["objects"]["same"][0]["identity"] == 2);
}

TEST_CASE("page of diff: it holds what --json prints, with the same options") {
  const Pair pair;
  CHECK(document_of(pair.page()) == pair.json());
  const std::vector<std::string> options = {"--class", "shop.*",  "--skip", "*Map",
                                            "--sort",  "shallow", "--top",  "1"};
  const Json chosen = document_of(pair.page(options));
  CHECK(chosen == pair.json(options));
  CHECK(chosen["classes"].size() == 1);
  CHECK(chosen["sorted_by"] == "shallow");
}

TEST_CASE("page of diff: names are data, whatever they are") {
  const Pair hostile({.session_class = kHostileName, .sessions = 10},
                     {.session_class = kHostileName,
                      .main_name = kHostileName,
                      .host = "\xe2\x80\xae" + std::string(10'000, 'x')});
  const std::string page = hostile.page();
  CHECK(count(page, "<script") == count(Pair().page(), "<script"));
  CHECK(count(page, "</script") == 2);
  CHECK(page.find("alert(") == std::string::npos);
  CHECK(page.find("onerror") == std::string::npos);
  CHECK(document_of(page)["after"]["main_name"] == kHostileName);
}

TEST_CASE("page of diff: under 3 MB where nothing is alike and nothing packs well" *
          doctest::skip(!all_tries())) {
  const WorstReport before(1), after(2);
  const Diff diff = worst_diff(before, after);
  REQUIRE(diff.comparison.classes.rows.size() > 7900);
  const std::string page = diff_page(diff);
  MESSAGE("page of the worst comparison: " << page.size() << " bytes");
  CHECK(page.size() < kMostPageBytes);
  CHECK(!document_of(page).contains("page_rows_limit"));

  const std::string small = diff_page(diff, kAllRows, 300'000);
  CHECK(small.size() < 300'000);
  const Json document = document_of(small);
  REQUIRE(document.contains("page_rows_limit"));
  CHECK(document["classes"].size() == document["page_rows_limit"]);
  CHECK(document["rest_of_classes"]["before"]["count"].get<std::size_t>() > 0);
}

TEST_CASE("page of diff: too large with one row a list, it is refused in one line" *
          doctest::skip(!all_tries())) {
  const WorstReport before(1), after(2);
  const Diff diff = worst_diff(before, after);
  try {
    (void)diff_page(diff, kAllRows, 10 * 1024);
    FAIL("it was made");
  } catch (const Stop& stop) {
    CHECK(stop.code == ExitCode::kRefused);
    CHECK(stop.text.starts_with("--html: with one row a list the page would still have "));
    CHECK(stop.text.ends_with("allowed: 10.0 KB"));
    CHECK(stop.text.find('\n') == std::string::npos);
  }
}

TEST_CASE(
    "diff --html: told in two lines; not with --json or --section; nothing of others is lost") {
  const Pair pair;
  const Outcome outcome = pair.run({"--html", pair.out()});
  CHECK(outcome.code == ExitCode::kDone);
  CHECK(outcome.err.empty());
  CHECK(outcome.out.find("grew most") != std::string::npos);
  CHECK(outcome.out.ends_with("\npage: " + pair.out() + "\n"));
  CHECK(pair.run({"--html", pair.out()}).code == ExitCode::kDone);
  check_refusal(pair.run({"--html", pair.out(), "--json"}), ExitCode::kWrongUsage,
                {"--html", "--json", "excludes"});
  check_refusal(pair.run({"--html", pair.out(), "--section", "tree"}), ExitCode::kWrongUsage,
                {"--html", "--section", "excludes"});
  check_refusal(pair.run({"--html", "-"}), ExitCode::kWrongUsage, {"allowed: a file's name"});
  check_refusal(pair.run({"--html", "/no/such/place/x.html"}), ExitCode::kRefused,
                {"--html", "No such file or directory"});
  const std::string letter = pair.out() + ".letter";
  std::ofstream(letter) << "Dear";
  check_refusal(pair.run({"--html", letter}), ExitCode::kRefused, {letter, "none of ours"});
  CHECK(std::filesystem::file_size(letter) == 4);
  check_refusal(pair.run({"--html", pair.out() + ".new", "--class", "no.such.*"}),
                ExitCode::kWrongUsage, {"--class"});
  CHECK(!std::filesystem::exists(pair.out() + ".new"));
}
