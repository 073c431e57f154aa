#include "cli/report/report_source.h"

#include <doctest/doctest.h>

#include <sys/stat.h>

#include <algorithm>
#include <sstream>

#include "analysis/snapshot_file/snapshot_fixture.h"
#include "cli/command_line.h"
#include "cli/report/sample_report_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

struct Outcome {
  ExitCode code;
  std::string out, err;
};

Outcome show(const std::string& path, const std::string& option = "--width=100") {
  std::ostringstream out, err;
  Surroundings surroundings{out, err};
  const ExitCode code = run_command_line({"report", path, option}, surroundings);
  return {code, out.str(), err.str()};
}

std::vector<std::byte> snapshot_with(const std::vector<std::byte>& report) {
  analysis::SnapshotFixture fixture(3, 5000);
  fixture.extras.report = report;
  return fixture.file();
}

void check_refused(const std::vector<std::byte>& bytes, const std::string& said) {
  const TemporaryFile file(bytes, "shop.hfs");
  const Outcome outcome = show(file.path());
  CHECK(outcome.code == ExitCode::kBadInput);
  CHECK(outcome.out.empty());
  CHECK(std::ranges::count(outcome.err, '\n') == 1);
  CHECK(outcome.err.starts_with("holdfast report: " + file.path() + ": "));
  CHECK_MESSAGE(outcome.err.find(said) != std::string::npos, outcome.err);
  CHECK(outcome.err.find("allowed: ") != std::string::npos);
}

}  // namespace

TEST_CASE("a report is shown from inside a snapshot as from its own file") {
  const std::vector<std::byte> report = sample_file({});
  const TemporaryFile alone(report);
  const TemporaryFile inside(snapshot_with(report), "shop.hfs");
  for (const char* option : {"--width=100", "--json"}) {
    const Outcome wanted = show(alone.path(), option);
    const Outcome found = show(inside.path(), option);
    REQUIRE(wanted.code == ExitCode::kDone);
    CHECK(found.code == ExitCode::kDone);
    CHECK(found.err.empty());
    CHECK(found.out == wanted.out);
  }
}

TEST_CASE("a snapshot that was cut behind its report still shows it") {
  const std::vector<std::byte> report = sample_file({});
  std::vector<std::byte> bytes = snapshot_with(report);
  bytes.resize(bytes.size() / 2);
  const TemporaryFile cut(bytes, "cut.hfs");
  CHECK(show(cut.path()).code == ExitCode::kDone);
  bytes.resize(100);
  check_refused(bytes, "damaged or cut off");
}

TEST_CASE("exit 2: what is no regular file is not opened; a pipe would wait for its writer") {
  const TemporaryFile place({});
  const std::string pipe = place.path() + ".pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const std::string& path : {pipe, std::string("/dev/null")}) {
    const Outcome outcome = show(path);
    CHECK(outcome.code == ExitCode::kWrongUsage);
    CHECK(outcome.err.find(path + ": is not a regular file; allowed: ") != std::string::npos);
    CHECK(!is_snapshot_file(path));
  }
}

TEST_CASE("exit 3: snapshots without a report, with a bad one, damaged, newer") {
  check_refused(snapshot_with({}), "without a report inside; 'holdfast analyze'");
  const std::vector<std::byte> report = sample_file({});
  std::vector<std::byte> wrong(500, std::byte{'x'});
  check_refused(snapshot_with(wrong), "the report inside is not a holdfast report");
  wrong = report;
  wrong[wrong.size() / 2] ^= std::byte{1};
  check_refused(snapshot_with(wrong), "the report inside is damaged");
  wrong = report;
  wrong[8] = std::byte{9};
  check_refused(snapshot_with(wrong), "(report format 9)");
  std::vector<std::byte> snapshot = snapshot_with(report);
  snapshot[8] = std::byte{9};
  check_refused(snapshot, "newer holdfast (snapshot format 9)");
  snapshot = snapshot_with(report);
  snapshot[200] ^= std::byte{1};
  check_refused(snapshot, "damaged or cut off");
}
