// A snapshot that 1.0 wrote stays readable for ever. The file lies with the fuzzer's seeds.
#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/snapshot_file/snapshot_reader.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("a snapshot of version 1.0 is read") {
  const std::filesystem::path seeds =
      std::filesystem::path(__FILE__).parent_path() / "snapshot_file_fuzz_seeds";
  SnapshotFile file;
  REQUIRE(file.open((seeds / "snapshot-1.0.hfs").c_str()).ok());
  CHECK_FALSE(file.cut().cut);
  CHECK(file.snapshot().object_count() == 60);
}
