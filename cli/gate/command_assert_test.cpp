#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/command_run_for_test.h"
#include "cli/gate/gate_output.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/display_text.h"
#include "cli/text/golden_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Outcome run(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "assert");
  return run_command(arguments);
}

std::string with_plain_path(const std::string& text, const TemporaryFile& file) {
  return replaced(text, file.path().substr(0, file.path().rfind('/') + 1), "");
}

const std::vector<std::string> kMixed = {"shop.Session.instances <= 10", "total.shallow <= 1.5GB",
                                         "java.util.*.retained < 63MB", "suspects == 0",
                                         "shop.Sesion.instances < 10"};

std::vector<std::string> with_file(const TemporaryFile& file, std::vector<std::string> more) {
  more.insert(more.begin(), file.path());
  return more;
}

void check_refused(const std::vector<std::string>& arguments, ExitCode code,
                   const std::string& said) {
  check_refusal(run(arguments), code, {said});
}

SampleReport hostile() {
  SampleReport sample;
  sample.session_class = "evil.`|<script>alert(\"&'\")</script>\x1b[2J\n@me $x$ \u202E\uFFFF" +
                         std::string(10'000, 'x');
  return sample;
}

GateResult result_of(const ReportView& view, const std::vector<std::string>& expressions) {
  GateResult result{"shop`|.hfr", "", view, {}, {}};
  for (const std::string& text : expressions)
    result.judgements.push_back(judge(parse_assertion(text), view, nullptr));
  return result;
}

}  // namespace

TEST_CASE("assert: exit 0, 1 and 4, and every expression is told") {
  const TemporaryFile file(sample_file({}));
  const Outcome holds = run({file.path(), "shop.Session.instances <= 5k"});
  CHECK(holds.code == ExitCode::kDone);
  CHECK(holds.err.empty());
  const Outcome fails = run(with_file(file, kMixed));
  CHECK(fails.code == ExitCode::kAssertionFailed);
  for (const std::string& expression : kMixed)
    CHECK_MESSAGE(fails.out.find(expression) != std::string::npos, expression);
  const Outcome unknown = run(
      {file.path(), "java.util.*.retained < 63MB", "suspects <= 2", "package:shop.reachable < 1"});
  CHECK(unknown.code == ExitCode::kRefused);
  CHECK(unknown.out.starts_with("1 of 3 assertions holds, 2 cannot be decided\n"));
  CHECK(unknown.err.starts_with("holdfast assert: java.util.*.retained < 63MB: cannot be decided"));
  CHECK(std::ranges::count(unknown.err, '\n') == 1);
  const TemporaryFile simple(sample_file({.simple = true}));
  const Outcome retained = run({simple.path(), "shop.Session.retained < 1MB"});
  CHECK(retained.code == ExitCode::kRefused);
  CHECK(retained.err.find("simple dump") != std::string::npos);
  CHECK(run({simple.path(), "shop.Session.retained < 1", "total.instances < 1"}).code ==
        ExitCode::kAssertionFailed);
}

TEST_CASE("assert: wrong expressions, files and places are one line") {
  const TemporaryFile file(sample_file({}));
  check_refused({file.path()}, ExitCode::kWrongUsage, "EXPR");
  check_refused({file.path(), "suspects == 0", "a.instances = 1"}, ExitCode::kWrongUsage,
                "column 13");
  check_refused({"/no/such.hfr", "nonsense"}, ExitCode::kWrongUsage, "no comparison");
  check_refused({file.path(), "growth(suspects) <= 0"}, ExitCode::kWrongUsage, "--baseline");
  check_refused({"/no/such.hfr", "suspects == 0"}, ExitCode::kWrongUsage, "No such file");
  check_refused({file.path(), "suspects == 0", "--baseline", "/no/such.hfr"}, ExitCode::kWrongUsage,
                "No such file");
  check_refused({file.path(), "suspects == 0", "--json", "--markdown"}, ExitCode::kWrongUsage,
                "--markdown");
  const platforms::ScratchDirectory scratch;
  scratch.write("letter.xml", "<?xml version=\"1.0\"?>\n<letter/>\n");
  check_refused({file.path(), "suspects == 2", "--junit", scratch.file("letter.xml")},
                ExitCode::kRefused, "none of ours");
  CHECK(scratch.read("letter.xml").find("<letter/>") != std::string::npos);
  scratch.write("cut.hfr", "abc");
  check_refused({scratch.file("cut.hfr"), "suspects == 0"}, ExitCode::kBadInput, "not a holdfast");
}

TEST_CASE(
    "assert: an account that is not there is wrong usage, and those that are there are named") {
  const TemporaryFile file(sample_file({.accounts = true, .exact_accounts = true}));
  CHECK(run({file.path(), "account('shop.*').allocated < 2g"}).code == ExitCode::kDone);
  CHECK(run({file.path(), "account('shop.export.*').allocated == 0"}).code == ExitCode::kDone);
  CHECK(run({file.path(), "account(\"shop.*\").allocated < 1g"}).code ==
        ExitCode::kAssertionFailed);
  // Two accounts of this report have no row of their own.
  const Outcome unlisted = run({file.path(), "account('shop').allocated < 2g"});
  CHECK(unlisted.code == ExitCode::kRefused);
  CHECK(unlisted.err.find("there are: shop.*, shop.search.*, (unaccounted), shop.export.* and 2 "
                          "more") != std::string::npos);
  const TemporaryFile whole(
      sample_file({.accounts = true, .exact_accounts = true, .all_accounts = true}));
  check_refused({whole.path(), "account('shop').allocated < 2g"}, ExitCode::kWrongUsage,
                "no account of this report is called 'shop'");
  const TemporaryFile without(sample_file({}));
  CHECK(run({without.path(), "account('shop').allocated < 2g"}).code == ExitCode::kRefused);
}

TEST_CASE("assert: growth against a baseline, one that counts otherwise, and the same dump") {
  const TemporaryFile before(sample_file({}));
  const TemporaryFile after(sample_file({.minutes_later = 5}));
  const TemporaryFile simple(sample_file({.simple = true}));
  const auto code = [](const TemporaryFile& report, const TemporaryFile& baseline,
                       const std::string& expression) {
    return run({report.path(), "--baseline", baseline.path(), expression}).code;
  };
  CHECK(code(after, before, "growth(total.instances) <= 0") == ExitCode::kDone);
  CHECK(code(after, before, "growth(suspects) < 0") == ExitCode::kAssertionFailed);
  CHECK(code(after, simple, "growth(total.instances) <= 0") == ExitCode::kRefused);
  CHECK(code(before, before, "growth(total.instances) <= 0") == ExitCode::kRefused);
  CHECK(code(before, after, "growth(total.instances) <= 0") == ExitCode::kRefused);
  CHECK(code(before, after, "total.instances > 0") == ExitCode::kDone);
}

TEST_CASE("assert: what speaks against the baseline is in all outputs") {
  const TemporaryFile after(sample_file({.minutes_later = 5}));
  const TemporaryFile before(sample_file({.pid = 7, .main_name = "evil|<b>.Other\x1b[2J"}));
  const platforms::ScratchDirectory scratch;
  std::vector<std::string> arguments = {after.path(),  "--baseline",
                                        before.path(), "growth(total.instances) <= 0",
                                        "--junit",     scratch.file("heap.xml")};
  const Outcome text = run(arguments);
  CHECK(text.code == ExitCode::kDone);
  CHECK(text.err.starts_with("holdfast assert: warning: these are different programs, evil"));
  CHECK(std::ranges::count(text.err, '\n') == 1);
  CHECK(text.out.find("\n  warning ") != std::string::npos);
  CHECK(text.out.find("these are different programs") != std::string::npos);
  const std::string xml = scratch.read("heap.xml");
  CHECK(xml.find("<property name=\"warning.different_program\" value=\"these are different "
                 "programs, evil|&lt;b&gt;") != std::string::npos);
  arguments.emplace_back("--markdown");
  const std::string markdown = run(arguments).out;
  CHECK(markdown.find("these are different programs, evil&#124;&#60;b&#62;.Other") !=
        std::string::npos);
  arguments.back() = "--json";
  const auto json = nlohmann::json::parse(run(arguments).out);
  REQUIRE(json["warnings"].size() == 1);
  CHECK(json["warnings"][0]["code"] == "different_program");
  const Outcome swapped = run({before.path(), "--baseline", after.path(), "total.instances > 0"});
  CHECK(swapped.err.find("the baseline is the later one") != std::string::npos);
}

TEST_CASE("assert: ages of a report that has some, and of one that has none") {
  const TemporaryFile file(sample_file({.ages = true, .aging = true}));
  const std::vector<std::string> expressions = {
      "piling_up == 0", "piling_up(99%) <= 1", "loitering.classes == 0",
      "shop.*.sampled_old_instances <= 10", "shop.Session.old_shallow <= 1GB"};
  const Outcome text = run(with_file(file, expressions));
  CHECK(text.code == ExitCode::kAssertionFailed);
  check_golden("assert_ages_80", with_plain_path(text.out, file));
  CHECK(run({file.path(), "piling_up(99%) <= 1", "loitering <= 1m"}).code == ExitCode::kDone);
  const TemporaryFile without(sample_file({}));
  const Outcome unknown = run({without.path(), "loitering <= 1m"});
  CHECK(unknown.code == ExitCode::kRefused);
  CHECK(unknown.err.find("ages were off (ages=on)") != std::string::npos);
  CHECK(std::ranges::count(unknown.err, '\n') == 1);
  check_refused({file.path(), "piling_up(never) == 0"}, ExitCode::kWrongUsage, "1% to 99%");
}

TEST_CASE("assert: golden") {
  const TemporaryFile file(sample_file({}));
  check_golden("assert_80", with_plain_path(run(with_file(file, kMixed)).out, file));
  std::vector<std::string> arguments = with_file(file, kMixed);
  arguments.push_back("--markdown");
  check_golden("assert_markdown", with_plain_path(run(arguments).out, file));
  arguments.back() = "--json";
  check_golden("assert_json", with_plain_path(run(arguments).out, file));
  const platforms::ScratchDirectory scratch;
  arguments.back() = "--junit";
  arguments.push_back(scratch.file("heap.xml"));
  for (int round = 0; round < 2; ++round) {  // the second replaces the first
    CHECK(run(arguments).code == ExitCode::kAssertionFailed);
    check_golden("assert_junit", with_plain_path(scratch.read("heap.xml"), file));
  }
}

TEST_CASE("assert: json") {
  const TemporaryFile file(sample_file({}));
  std::vector<std::string> arguments = with_file(file, kMixed);
  arguments.push_back("--json");
  const auto json = nlohmann::json::parse(run(arguments).out);
  CHECK(json["schema_version"] == 1);
  CHECK(json["result"] == "fails");
  CHECK(json["baseline"].is_null());
  CHECK(json["fails"].get<int>() + json["holds"].get<int>() + json["undecided"].get<int>() == 5);
  const auto& first = json["assertions"][0];
  CHECK(first["expression"] == kMixed[0]);
  CHECK(first["result"] == "fails");
  CHECK(first["least"] == 4812);
  CHECK(first["limit"] == 10);
  CHECK(first["unit"] == "count");
  CHECK(first["largest"][0]["name"] == "shop.Session");
  CHECK(json["assertions"][2]["found"].is_null());
}

TEST_CASE("assert: names can neither order a terminal nor break out of XML and Markdown") {
  const TemporaryFile file(sample_file(hostile()), "sh`op|.hfr");
  const std::vector<std::string> expressions = {"evil.*.instances <= 1", "evil.`|*.shallow < 1",
                                                "no.`|<b>&\"\x1b.instances > 5"};
  std::vector<std::string> arguments = with_file(file, expressions);
  const std::string text = run(arguments).out;
  for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  CHECK(text.find("evil.") != std::string::npos);

  arguments.push_back("--markdown");
  const std::string markdown = run(arguments).out;
  std::istringstream lines(markdown);
  std::size_t rows = 0;
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.find('`') == std::string::npos);
    CHECK(line.find("<b>") == std::string::npos);
    CHECK(line.find("<script") == std::string::npos);
    if (!line.starts_with('|')) continue;
    CHECK(std::ranges::count(line, '|') == 4);
    ++rows;
  }
  CHECK(rows == 2 + expressions.size());
  CHECK(markdown.size() < 4000);

  const platforms::ScratchDirectory scratch;
  arguments.back() = "--junit";
  arguments.push_back(scratch.file("heap.xml"));
  run(arguments);
  const std::string xml = scratch.read("heap.xml");
  CHECK(xml.starts_with(kJunitMark));
  CHECK(xml.find("<b>") == std::string::npos);
  CHECK(xml.find("&lt;script&gt;") != std::string::npos);
  CHECK(xml.find("\\u001b") != std::string::npos);
  CHECK(xml.find("\uFFFF") == std::string::npos);
  for (const char c : xml) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  CHECK(xml.size() < 8000);
}

TEST_CASE("assert: no line of the text is wider than the page") {
  const TemporaryFile file(sample_file(hostile()));
  for (const char* width : {"40", "79", "120"}) {
    std::vector<std::string> arguments = with_file(file, kMixed);
    arguments.insert(arguments.end(), {"--width", width, "evil.*.shallow < 1"});
    std::istringstream lines(run(arguments).out);
    for (std::string line; std::getline(lines, line);)
      CHECK_MESSAGE(display_width(line) <= std::stoul(width), line);
  }
}

TEST_CASE("assert: counts of the junit file add up") {
  const ReportView empty;
  const std::string xml = gate_junit(
      result_of(empty, {"total.instances == 0", "total.instances > 0", "heap.used > 0"}));
  CHECK(xml.find("tests=\"3\" failures=\"1\" errors=\"1\"") != std::string::npos);
  CHECK(xml.find("<failure message=\"found 0, just what is not allowed\"") != std::string::npos);
  CHECK(xml.find("<error message=\"cannot be decided:") != std::string::npos);
}
