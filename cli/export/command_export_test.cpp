#include "cli/export/command_export.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command_run_for_test.h"
#include "cli/help_text.h"
#include "cli/report/sample_report_for_test.h"
#include "cli/text/golden_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

Outcome run(const std::vector<std::string>& arguments, bool terminal = false) {
  std::vector<std::string> all{"export"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run_command(all, {.terminal = terminal});
}

void check_refused(const Outcome& outcome, ExitCode code, const std::vector<std::string>& said) {
  check_refusal(outcome, code, said);
  CHECK(outcome.err.starts_with("holdfast export: "));
}

std::string content(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE(
    "export: every format is in the help, an unknown one is answered with those that there are") {
  const TemporaryFile file(sample_file({}));
  const std::string help = run({"--help"}).out;
  CHECK(help == export_help());
  const Outcome unknown = run({file.path(), "--format", "xml"});
  for (const ExportFormat& format : export_formats()) {
    CHECK(help.find("  " + std::string(format.name)) != std::string::npos);
    check_refused(unknown, ExitCode::kWrongUsage, {"--format", "xml", std::string(format.name)});
  }
  for (const char* option : {"--format", "--rows", "--top", "-o "})
    CHECK_MESSAGE(help.find(option) != std::string::npos, option);
  std::istringstream lines(help);
  for (std::string line; std::getline(lines, line);) CHECK(line.size() <= 80);
}

TEST_CASE("export: wrong usage") {
  const TemporaryFile file(sample_file({}));
  check_refused(run({file.path()}), ExitCode::kWrongUsage, {"--format"});
  check_refused(run({"--format", "csv"}), ExitCode::kWrongUsage, {"FILE"});
  check_refused(run({file.path(), "--format", "pprof"}, true), ExitCode::kWrongUsage,
                {"terminal", "-o FILE"});
  check_refused(run({file.path(), file.path(), "--format", "folded"}), ExitCode::kWrongUsage,
                {"folded", "one FILE"});
  check_refused(run({file.path(), "--format", "pprof", "--rows", "classes"}), ExitCode::kWrongUsage,
                {"--rows", "jsonl, csv"});
  check_refused(run({file.path(), "--format", "csv", "--rows", "fields"}), ExitCode::kWrongUsage,
                {"--rows", "suspects"});
  check_refused(run({file.path(), "--format", "csv", "--top", "3"}), ExitCode::kWrongUsage,
                {"--top", "openmetrics"});
  check_refused(run({"/no/such.hfr", "--format", "csv"}), ExitCode::kWrongUsage,
                {"/no/such.hfr", "No such file"});
}

TEST_CASE("export: HPROF wants a snapshot, and a report is told so") {
  const TemporaryFile report(sample_file({}));
  check_refused(run({report.path(), "--format", "hprof"}), ExitCode::kWrongUsage,
                {report.path(), ".hfs", "snapshot=on"});
  check_refused(run({report.path(), "--format", "hprof"}, true), ExitCode::kWrongUsage,
                {"terminal"});
  std::vector<std::byte> newer = sample_file({});
  newer[8] = std::byte{9};
  check_refused(run({TemporaryFile(newer).path(), "--format", "hprof"}), ExitCode::kBadInput,
                {"newer holdfast"});
  const TemporaryFile letter({std::byte{'a'}, std::byte{'b'}}, "letter.hfs");
  check_refused(run({letter.path(), "--format", "hprof"}), ExitCode::kBadInput, {letter.path()});
  check_refused(run({"/no/such.hfs", "--format", "hprof"}), ExitCode::kWrongUsage,
                {"No such file"});
}

TEST_CASE("export: one damaged report of many, and nothing is written") {
  const TemporaryFile good(sample_file({}));
  std::vector<std::byte> bytes = sample_file({});
  bytes.back() ^= std::byte{1};
  const TemporaryFile bad(bytes, "bad.hfr");
  check_refused(run({good.path(), bad.path(), "--format", "csv"}), ExitCode::kBadInput,
                {"bad.hfr"});
  const std::string out = good.path() + ".csv";
  check_refused(run({good.path(), bad.path(), "--format", "csv", "-o", out}), ExitCode::kBadInput,
                {"bad.hfr"});
  CHECK(!std::filesystem::exists(out));
}

TEST_CASE("export: many reports make one table with one header") {
  const TemporaryFile first(sample_file({})), second(sample_file({.simple = true}));
  const Outcome csv = run({first.path(), second.path(), "--format", "csv"});
  CHECK(csv.code == ExitCode::kDone);
  CHECK(csv.out.find("file,host", 1) == std::string::npos);
  CHECK(std::ranges::count(csv.out, '\n') == 1 + 6 + 6);
  const Outcome lines = run({first.path(), second.path(), "--format", "jsonl"});
  CHECK(std::ranges::count(lines.out, '\n') == 6 + 6);
  CHECK(lines.out.find("{\"file\":\"" + second.path()) != std::string::npos);
}

TEST_CASE("export: a file that is named twice is written once, and that is said") {
  const TemporaryFile file(sample_file({}));
  const std::string directory = std::filesystem::path(file.path()).parent_path().string();
  const std::string again = directory + "/./shop.hfr";
  const Outcome twice = run({file.path(), again, "--format", "csv"});
  CHECK(twice.code == ExitCode::kDone);
  CHECK(twice.out == run({file.path(), "--format", "csv"}).out);
  CHECK(twice.err == "holdfast export: " + again + ": is named twice; its rows are written once\n");
}

TEST_CASE("export: -o writes what standard output gets, and replaces only its own kind") {
  const TemporaryFile file(sample_file({}));
  for (const ExportFormat& format : export_formats()) {
    if (format.kind == ExportKind::kHprof) continue;  // not of a report
    const std::string name(format.name), out = file.path() + "." + name;
    CHECK(run({file.path(), "--format", name, "-o", out}).out.empty());
    CHECK(content(out) == run({file.path(), "--format", name}).out);
    // Files of the others begin as those of other programs do: kNoMark.
    const bool known = format.mark.front() != '\0';
    CHECK(content(out).starts_with(format.mark) == known);
    CHECK(run({file.path(), "--format", name, "-o", out}).code ==
          (known ? ExitCode::kDone : ExitCode::kRefused));
    std::filesystem::resize_file(out, 0);
    CHECK(run({file.path(), "--format", name, "-o", out}).code == ExitCode::kDone);
    std::ofstream(out) << "a letter";
    check_refused(run({file.path(), "--format", name, "-o", out}), ExitCode::kRefused,
                  {"none of ours"});
    CHECK(content(out) == "a letter");
  }
}

TEST_CASE("export: no mark is how a file of another program begins") {
  using namespace std::string_view_literals;
  for (const ExportFormat& format : export_formats()) {
    CAPTURE(format.name);
    REQUIRE(!format.mark.empty());
    for (const std::string_view other :
         {"\x1f\x8b\x08\0\0\0\0\0\x02\x03 somebody's archive, packed with gzip"sv,
          "\x1f\x8b\x08\x08\0\0\0\0\0\x03letters.tar\0 and what is in it"sv,
          "JAVA PROFILE 1.0.2\0\0\0\0\x08 what jmap wrote, all of it"sv,
          "heap;java.util.HashMap 1 and more of such lines to come"sv})
      CHECK(!other.starts_with(format.mark));
  }
}

TEST_CASE("export: a terminal gets no orders from a name") {
  const TemporaryFile file(sample_file({.session_class = "a\x1b[2J\r\nb\u202e"}));
  for (const ExportFormat& format : export_formats()) {
    if (format.binary) continue;
    const Outcome shown = run({file.path(), "--format", std::string(format.name)}, true);
    CHECK(shown.code == ExitCode::kDone);
    CHECK(shown.out.find('\x1b') == std::string::npos);
    CHECK(shown.out.find('\r') == std::string::npos);
    CHECK(shown.out.find("\u202e") == std::string::npos);
  }
}

TEST_CASE("export: OpenMetrics as text, of both kinds of dump") {
  const TemporaryFile extended(sample_file({})), simple(sample_file({.simple = true}));
  check_golden("export_openmetrics",
               run({extended.path(), "--format", "openmetrics", "--top", "2"}).out);
  const TemporaryFile aged(sample_file({.ages = true}));
  const std::string ages = run({aged.path(), "--format", "openmetrics"}).out;
  for (const char* line :
       {"holdfast_age_objects{main=\"shop.Main\",pid=\"4242\",collections=\"tenured\"} 1000000\n",
        "holdfast_age_bytes{main=\"shop.Main\",pid=\"4242\",collections=\"2-3\"} 3200000\n",
        "holdfast_class_old_bytes{main=\"shop.Main\",pid=\"4242\",class=\"shop.Session\",loader="
        "\"app\"} "
        "144000\n"})
    CHECK_MESSAGE(ages.find(line) != std::string::npos, ages);
  const TemporaryFile collected(sample_file({.collections = true}));
  const std::string collections = run({collected.path(), "--format", "openmetrics"}).out;
  for (const char* line :
       {"holdfast_collections_total{main=\"shop.Main\",pid=\"4242\",kind=\"full\"} 2\n",
        "holdfast_collection_pause_seconds_total{main=\"shop.Main\",pid=\"4242\"} 3.125000000\n",
        "holdfast_collection_reclaimed_bytes_total{main=\"shop.Main\",pid=\"4242\"} 1293942784\n"})
    CHECK_MESSAGE(collections.find(line) != std::string::npos, collections);
  const TemporaryFile untold(sample_file({.collections = true, .untold_collections = true}));
  const std::string fewer = run({untold.path(), "--format", "openmetrics"}).out;
  CHECK(fewer.find("kind=\"full\"") == std::string::npos);
  CHECK(fewer.find("reclaimed") == std::string::npos);
  check_golden("export_openmetrics_simple", run({simple.path(), "--format", "openmetrics"}).out);
}

TEST_CASE("export: rows as text, of every kind") {
  const TemporaryFile file(sample_file({}));
  const auto shown = [&](const std::string& format, const std::string& rows) {
    const Outcome outcome = run({file.path(), "--format", format, "--rows", rows});
    check_golden("export_" + format + "_" + rows, replaced(outcome.out, file.path(), "shop.hfr"));
  };
  for (const char* rows : {"classes", "objects", "packages", "loaders", "threads", "suspects",
                           "ages", "holders", "states"}) {
    shown("csv", rows);
    shown("jsonl", rows);
  }
}

TEST_CASE("export: OpenMetrics escapes and bounds what a name may be") {
  const TemporaryFile file(sample_file({.session_class = "a\"b\\c\nd"}));
  const std::string text = run({file.path(), "--format", "openmetrics"}).out;
  CHECK(text.find("class=\"a\\\"b\\\\c\\\\u000ad\"") != std::string::npos);
  const TemporaryFile long_name(sample_file({.session_class = std::string(10'000, 'x')}));
  CHECK(run({long_name.path(), "--format", "openmetrics"}).out.size() < 12'000);
}
