// A snapshot that 1.0 wrote stays readable for ever. The file lies with the fuzzer's seeds; 1.0 made it of this fixture.
#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/snapshot_file/embedded_report.h"
#include "analysis/snapshot_file/same_snapshot_for_test.h"
#include "analysis/snapshot_file/snapshot_fixture.h"
#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("a snapshot of version 1.0 is read, without what came later") {
  const std::filesystem::path seeds =
      std::filesystem::path(__FILE__).parent_path() / "snapshot_file_fuzz_seeds";
  const std::string path = seeds / "snapshot-1.0.hfs";
  SnapshotFile file;
  REQUIRE(file.open(path.c_str(), {SnapshotReading::kDefaultLimitBytes, true}).ok());
  CHECK_FALSE(file.cut().cut);
  const SnapshotFixture wanted(11, 60);
  check_same(wanted.snapshot, file.snapshot());
  CHECK(file.snapshot().shallow_unit_bytes == 8);
  CHECK(file.addresses().empty());
  CHECK(file.report_bytes() == 0);
  EmbeddedReport none;
  REQUIRE(none.open(path.c_str()).ok());
  CHECK(none.image().empty());
}
