#include "cli/analyze/statistics_query.h"

#include <doctest/doctest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/command_run_for_test.h"
#include "cli/text/golden_for_test.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using platforms::ScratchDirectory;

// A server with a buffer of three objects, and an algorithm with a list of the same.
std::string written_dump(const ScratchDirectory& directory) {
  directory.write("figure.txt",
                  "0x100 [16] Server\n\t0x110 0x120\n"
                  "0x110 [40] Buffer\n\t0x200 0x210 0x220\n"
                  "0x120 [16] Algorithm\n\t0x130\n"
                  "0x130 [40] List\n\t0x200 0x210 0x220\n"
                  "0x200 [4000] Data\n\t0x300\n"
                  "0x210 [4000] Data\n\t0x210\n"
                  "0x220 [4000] Data\n\t\n"
                  "0x300 [8] Tail\n\t0x200\n");
  return directory.file("figure.txt");
}

nlohmann::json answers_of(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  const Outcome outcome = run_command(arguments);
  REQUIRE_MESSAGE(outcome.code == ExitCode::kDone, outcome.err);
  return nlohmann::json::parse(outcome.out).at("answers");
}

nlohmann::json statistic(const nlohmann::json& answers, const std::string& name) {
  for (const auto& row : answers.at(0).at("rows"))
    if (row.at("statistic") == name) return row;
  return {};
}

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

}  // namespace

TEST_CASE("statistics: golden, and what a buffer and a list reach") {
  const ScratchDirectory directory;
  std::vector<std::string> asked = {
      "analyze", written_dump(directory), "--statistics", "--reachable-of",
      "Buffer",  "--reachable-of",        "List",         "--reachable-of",
      "*"};
  check_golden("statistics_80", run_command(asked).out);
  asked.emplace_back("--json");
  check_golden("statistics_json", run_command(asked).out);
}

TEST_CASE("statistics: figures for programs are whole") {
  const ScratchDirectory directory;
  const auto answers = answers_of({"analyze", written_dump(directory), "--statistics"});
  REQUIRE(answers.size() == 2);
  CHECK(statistic(answers, "average dominator tree height").at("heap") == 17.0 / 8);
  CHECK(statistic(answers, "average component size").at("heap").is_null());
  CHECK(statistic(answers, "articulation points").at("components") == 0);
  CHECK(answers[1].at("query") == "size_differences");
  CHECK(answers[1].at("rows").at(2).at("objects") == 3);
}

TEST_CASE("statistics: a snapshot answers as the dump does") {
  const ScratchDirectory directory;
  const std::string dump = written_dump(directory), snapshot = directory.file("figure.hfs");
  REQUIRE(
      run_command({"analyze", dump, "-o", directory.file("x.hfr"), "--snapshot", snapshot}).code ==
      ExitCode::kDone);
  const std::string from_dump =
      run_command({"analyze", dump, "--statistics", "--reachable-of", "Buffer"}).out;
  CHECK(from_dump.find("dominating articulation points") != from_dump.npos);
  CHECK(run_command({"report", snapshot, "--statistics", "--reachable-of", "Buffer"}).out ==
        from_dump);
}

TEST_CASE("--reachable-limit 0: what is shared is estimated, and says so") {
  const ScratchDirectory directory;
  const std::string dump = written_dump(directory), rows = directory.file("rows.csv");
  const auto answers = answers_of({"analyze", dump, "--statistics", "--reachable-limit", "0"});
  CHECK(answers.at(1).at("remark") ==
        "Held objects by reachable minus retained size; 3 reachable sizes are estimates: "
        "--reachable-limit 0 asks for that.");
  const Outcome exact =
      run_command({"analyze", dump, "-o", directory.file("a.hfr"), "--objects", rows});
  CHECK(exact.err.empty());
  std::vector<std::string> lines = lines_of(rows);
  REQUIRE(lines.size() == 9);
  CHECK(lines[2] == "0x110,Buffer,40,40,0x100,3,12048,0");
  CHECK(lines[5] == "0x200,Data,4000,4008,0x100,0,4008,0");
  const Outcome estimated = run_command({"analyze", dump, "-o", directory.file("b.hfr"),
                                         "--objects", rows, "--reachable-limit", "0"});
  CHECK(estimated.err ==
        "holdfast analyze: --objects: 3 of 8 reachable sizes are estimates (8.9 % standard error): "
        "--reachable-limit 0 asks for that\n");
  lines = lines_of(rows);
  REQUIRE(lines.size() == 9);
  CHECK(lines[2].ends_with(",1"));
  CHECK(lines[5] == "0x200,Data,4000,4008,0x100,0,4008,0");
}

TEST_CASE("statistics: what cannot be asked is one line") {
  const ScratchDirectory directory;
  const std::string dump = written_dump(directory);
  const auto refused = [&](const std::vector<std::string>& asked, const std::string& said) {
    check_refusal(run_command(asked), ExitCode::kWrongUsage, {said});
  };
  refused({"analyze", dump, "--statistics", "--reachable-limit", "3"},
          "'3': a time such as 500ms, 30s, 5m, or 0 is wanted");
  refused({"analyze", dump, "--reachable-limit", "3s"},
          "--reachable-limit requires --objects or --statistics");
  refused({"report", dump, "--reachable-limit", "3s"}, "--reachable-limit requires --statistics");
  refused({"analyze", dump, "--statistics", "--section", "tree"}, "--statistics");
  refused({"analyze", dump, "--reachable-of", "no.Such"}, "matches no object");
  refused({"analyze", dump, "--reachable-of", "List", "--html", directory.file("x.html")},
          "--reachable-of");
}
