// What 1.0 and each later version wrote stays readable for ever. The files lie with the fuzzer's seeds.
#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/report/index_check.h"
#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

namespace {

std::filesystem::path seed(const char* name) {
  return std::filesystem::path(__FILE__).parent_path() / "report_fuzz_seeds" / name;
}

}  // namespace

TEST_CASE("a report of version 1.0 is read") {
  ReportFile file;
  const auto report = file.open(seed("report-1.0.hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->suspects()->size() == 1);
  CHECK((*report)->classes_total() == 5);
  CHECK((*report)->suspects_total() == kNoRow);
}

TEST_CASE("a report of version 1.3 is read: without reachable sizes and cuts") {
  ReportFile file;
  const auto report = file.open(seed("report-1.3.hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->suspects_total() == 1);
  CHECK((*report)->reachable() == nullptr);
  CHECK((*report)->cuts() == nullptr);
  CHECK((*report)->objects()->Get(0)->reachable_bytes() == 0);
  CHECK((*report)->classes()->Get(0)->largest_reachable_bytes() == 0);
}

TEST_CASE("a report of version 1.4 is read: without accounts") {
  ReportFile file;
  const auto report = file.open(seed("report-1.4.hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->reachable() != nullptr);
  CHECK((*report)->accounts() == nullptr);
}

TEST_CASE("a report of version 1.5 is read: without ages") {
  ReportFile file;
  const auto report = file.open(seed("report-1.5.hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->holders() == nullptr);
  CHECK((*report)->accounts() != nullptr);
  CHECK((*report)->ages() == nullptr);
  CHECK((*report)->tracking() == nullptr);
}
