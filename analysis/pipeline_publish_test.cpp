// The basic report before the optional passes, the full one in its place, and what stays when something comes between.
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

#include "analysis/lab/test_heap.h"
#include "analysis/pipeline_for_test.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"
#include "platforms/clock.h"
#include "platforms/fault_points.h"
#include "platforms/file.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

constexpr std::uint32_t kManySessions = 60'000;  // more than are analysed in one go

// The heap of a dump whose optional passes may take long.
struct LargeDump {
  Folder folder;
  Dump dump{folder};
  lab::TestHeap heap;
  lab::TestArena memory{std::uint64_t{256} << 20};
  LargeDump() {
    fill(heap, kManySessions);
    dump.capture.has_graph = true;
    dump.capture.snapshot = heap.snapshot();
  }
};

struct Found {
  bool readable = false, basic = false, has_cuts = false;
  std::uint32_t suspects = 0;
  std::vector<std::string> left_out;
  std::string last_note;
};

Found read(const char* path) {
  Found found;
  ReportFile file;
  const auto opened = file.open(path);
  found.readable = opened.ok();
  if (!opened) return found;
  const report::Report& report = **opened;
  const auto text = [&](std::uint32_t id) { return report.strings()->Get(id)->str(); };
  found.basic = report.basic();
  found.has_cuts = report.cuts() != nullptr;
  found.suspects = report.suspects()->size();
  for (const auto* pass : *report.passes())
    if (pass->left_out() != 0)
      found.left_out.push_back(text(pass->name()) + ": " + text(pass->left_out()));
  if (report.notes()->size() > 0)
    found.last_note = text(report.notes()->Get(report.notes()->size() - 1));
  return found;
}

const std::vector<std::string> kMissing = {"holders: the report was published before it",
                                           "reachable sizes: the report was published before it",
                                           "cuts: the report was published before it"};

Found seen_on_the_way;  // what the file was when the optional passes began
bool was_locked = false;

void look(Dump&, const AnalysisOutcome& outcome) noexcept {
  seen_on_the_way = read(outcome.report_path);
  was_locked = platforms::is_being_written(outcome.report_path);
}
void look_and_cancel(Dump& dump, const AnalysisOutcome& outcome) noexcept {
  look(dump, outcome);
  dump.cancel.cancel();
}

void check_basic(const Found& found) {
  CHECK(found.readable);
  CHECK(found.basic);
  CHECK_FALSE(found.has_cuts);
  CHECK(found.suspects == 1);
  CHECK(found.left_out == kMissing);
  CHECK(found.last_note ==
        "not complete: the analysis ended before these parts: holders, reachable sizes, cuts");
}

void check_full(const Found& found) {
  CHECK(found.readable);
  CHECK_FALSE(found.basic);
  CHECK(found.has_cuts);
  CHECK(found.suspects == 1);
  CHECK(found.left_out.empty());
  CHECK(found.last_note.find("not complete") == std::string::npos);
}

}  // namespace

TEST_CASE(
    "publishing: the basic report is there before the optional passes, then the full one under its "
    "name") {
  LargeDump large;
  large.dump.when_published = &look;
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK(outcome->complete);
  check_basic(seen_on_the_way);
  CHECK(was_locked);
  check_full(read(outcome->report_path));
  CHECK_FALSE(platforms::is_being_written(outcome->report_path));
  CHECK(platforms::file_bytes(outcome->report_path) == outcome->report_bytes);
  CHECK(large.folder.files() == 1);
}

TEST_CASE("how long it takes is known before the first pass, and corrected behind the basic ones") {
  LargeDump large;
  const std::uint64_t began = platforms::thread_cpu_ns();
  REQUIRE(large.dump.run(large.memory).ok());
  const std::uint64_t took = platforms::thread_cpu_ns() - began;
  const std::vector<ExpectedTime>& expected = large.dump.expected;
  REQUIRE(expected.size() >= 2);
  // 60,002 objects of 60 + 140 ns, 60,001 references of 30 + 8, and 3 ms for the report.
  CHECK(expected[0].basic_ns > 8'000'000);
  CHECK(expected[0].basic_ns < 9'500'000);
  CHECK(expected[0].all_ns > 16'000'000);
  CHECK(expected[0].all_ns < 19'000'000);
  for (const ExpectedTime& one : expected) CHECK(one.basic_ns < one.all_ns);
  CHECK(expected.back().basic_ns < took + 3'000'000);
  // Only what is wanted costs; without optional passes no basic report comes before.
  large.dump.expected.clear();
  large.dump.options.analyses = kAnalyseRetained;
  REQUIRE(large.dump.run(large.memory).ok());
  CHECK(large.dump.expected[0].basic_ns == 0);
  CHECK(large.dump.expected[0].all_ns < 11'000'000);
  // A simple dump has nothing to analyse.
  large.dump.expected.clear();
  large.dump.capture.has_graph = false;
  REQUIRE(large.dump.run(large.memory).ok());
  CHECK(large.dump.expected.empty());
}

TEST_CASE(
    "publishing: what ends the optional passes leaves the basic report, one file, and says why") {
  LargeDump large;
  large.dump.when_published = &look_and_cancel;
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK_FALSE(outcome->complete);
  CHECK(outcome->missing.code == ErrorCode::kCancelled);
  check_basic(read(outcome->report_path));
  CHECK_FALSE(platforms::is_being_written(outcome->report_path));
  CHECK(platforms::file_bytes(outcome->report_path) == outcome->report_bytes);
  CHECK(large.folder.files() == 1);
  // It counts as one of max-dumps, and the next dump takes the next name.
  large.dump.cancel.reset();
  large.dump.when_published = nullptr;
  large.dump.options.max_dumps = 1;
  ++large.dump.record.started_utc_ms;
  const auto next = large.dump.run(large.memory);
  REQUIRE(next.ok());
  CHECK(next->complete);
  large.dump.tidy(large.memory);
  CHECK(large.folder.files() == 1);
  check_full(read(next->report_path));
}

TEST_CASE(
    "publishing: where the full report cannot be written the basic one stays, without left-overs") {
  if (!platforms::kFaultPointsBuilt) return;
  for (const platforms::FaultPoint point :
       {platforms::FaultPoint::kCreateFile, platforms::FaultPoint::kWrite,
        platforms::FaultPoint::kSync, platforms::FaultPoint::kRename}) {
    LargeDump large;
    const platforms::FaultScope fault(point, {.after = 1});
    const auto outcome = large.dump.run(large.memory);
    REQUIRE(outcome.ok());
    CHECK(fault.spent());
    CHECK_FALSE(outcome->complete);
    CHECK(outcome->missing.code == ErrorCode::kIo);
    check_basic(read(outcome->report_path));
    CHECK(large.folder.files() == 1);
  }
}

TEST_CASE(
    "publishing: where the basic report cannot be written the full one is tried all the same") {
  if (!platforms::kFaultPointsBuilt) return;
  LargeDump large;
  const platforms::FaultScope fault(platforms::FaultPoint::kWrite);
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK(outcome->complete);
  check_full(read(outcome->report_path));
  CHECK(large.folder.files() == 1);
}

TEST_CASE("publishing: with a snapshot, the basic report says that there is none yet") {
  LargeDump large;
  large.dump.options.snapshot = true;
  large.dump.when_published = &look_and_cancel;
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK(read(outcome->report_path).last_note == "no snapshot kept: the analysis ended before it");
  CHECK(large.folder.files() == 1);
}

TEST_CASE("publishing: what was not wanted is not missing") {
  LargeDump large;
  large.dump.options.analyses &= ~(kAnalyseHolders | kAnalyseReachable | kAnalyseCuts);
  seen_on_the_way = Found{};
  large.dump.when_published = &look;
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK_FALSE(seen_on_the_way.readable);  // one publication
  CHECK_FALSE(read(outcome->report_path).basic);
}

TEST_CASE("publishing: the time for optional parts ends them, and the report says so") {
  LargeDump large;
  large.dump.record.request.trigger = Trigger::kExit;
  large.dump.options.exit_wait_ns = 4;
  const auto outcome = large.dump.run(large.memory);
  REQUIRE(outcome.ok());
  CHECK(outcome->complete);
  const Found found = read(outcome->report_path);
  CHECK_FALSE(found.basic);
  CHECK(found.suspects == 1);
  REQUIRE(found.left_out.size() == 4);
  CHECK(found.left_out[0] == "holders: the time for optional parts (0 ms) was over");
  CHECK(found.left_out[1] == "condensation: the time for optional parts (0 ms) was over");
}
