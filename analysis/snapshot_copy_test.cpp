#include "analysis/snapshot_copy.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("a snapshot is kept beside the report, and the report says so") {
  SnapshotFixture f(5, 50);
  Capture capture;
  capture.snapshot = f.snapshot;
  capture.has_graph = true;
  const Options options;
  AnalysisInput input{capture, f.record, options, f.arena, f.ledger, f.cancel};
  FileName report;
  const std::string stem = "snapshot_copy_test." + std::to_string(::getpid());
  std::snprintf(report.text, sizeof report.text, "%s.hfr", stem.c_str());
  keep_snapshot(input, report);
  SnapshotFile file;
  CHECK(file.open((stem + ".hfs").c_str()).ok());
  CHECK(file.snapshot().object_count() == 50);
  REQUIRE(f.record.notes.all().size() == 1);
  CHECK(std::string(f.record.notes.all()[0].text).starts_with("snapshot kept: " + stem + ".hfs, "));

  keep_snapshot(input, report);  // the name is taken now
  CHECK(std::string(f.record.notes.all()[1].text).starts_with("no snapshot kept: "));
  std::remove((stem + ".hfs").c_str());

  capture.has_graph = false;
  keep_snapshot(input, report);
  CHECK(f.record.notes.all().size() == 3);
}
