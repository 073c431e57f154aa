// A report that 1.0 wrote stays readable for ever. The file lies with the fuzzer's seeds.
#include <doctest/doctest.h>

#include <filesystem>

#include "analysis/report/reader.h"
#include "analysis/report/report_generated.h"

using namespace holdfast;
using namespace holdfast::analysis;

TEST_CASE("a report of version 1.0 is read") {
  const std::filesystem::path seeds =
      std::filesystem::path(__FILE__).parent_path() / "report_fuzz_seeds";
  ReportFile file;
  const auto report = file.open((seeds / "report-1.0.hfr").c_str());
  REQUIRE(report.ok());
  CHECK((*report)->suspects()->size() == 1);
  CHECK((*report)->classes_total() == 5);
}
