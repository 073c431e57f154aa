#include "analysis/snapshot_copy.h"

#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("a snapshot is kept with the report inside, and no name is taken twice") {
  SnapshotFixture f(5, 50);
  Capture capture;
  capture.snapshot = f.snapshot;
  capture.has_graph = true;
  const Options options;
  AnalysisInput input{capture, f.record, options, f.arena, f.ledger, f.cancel};
  FileName name;
  std::snprintf(name.text, sizeof name.text, "snapshot_copy_test.%d.hfs", ::getpid());
  REQUIRE(keep_snapshot(input, name, f.report).ok());
  SnapshotFile file;
  REQUIRE(file.open(name.text).ok());
  check_same(f.snapshot, file.snapshot());
  EmbeddedReport report;
  REQUIRE(report.open(name.text).ok());
  CHECK(same_bytes(report.image(), std::span<const std::byte>(f.report)));

  const auto again = keep_snapshot(input, name, f.report);
  REQUIRE_FALSE(again.ok());
  CHECK(again.error().code == ErrorCode::kExists);
  std::remove(name.text);
}

TEST_CASE("a snapshot has its report's name with another ending") {
  const auto named = [](const std::string& report) {
    FileName name;
    report.copy(name.text, kMaxFileName);
    return std::string(snapshot_name(name).text);
  };
  CHECK(named("shop-1.hfr") == "shop-1.hfs");
  CHECK(named("shop.out") == "shop.out.hfs");
  CHECK(named(std::string(kMaxFileName, 'x')) == std::string(kMaxFileName - 4, 'x') + ".hfs");
}
