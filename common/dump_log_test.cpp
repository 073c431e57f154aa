#include "common/dump_log.h"

#include <doctest/doctest.h>

#include "common/log.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;

namespace {

// What `write` logs; the log is the process's, and put back as other tests expect it.
template <class Write>
std::string logged(Write write) {
  const platforms::ScratchDirectory scratch;
  REQUIRE(open_log(LogLevel::kInfo, scratch.file("log").c_str()).ok());
  write();
  (void)open_log(LogLevel::kError, "");
  return scratch.read("log");
}

}  // namespace

TEST_CASE("a refused dump says why, once, and nothing else") {
  DumpRecord record;
  record.sequence = 3;
  record.notes.add("no frozen capture: the collector is %s", "ZGC");
  CHECK(logged([&] { log_not_captured(record, make_error(ErrorCode::kRefused)); }) ==
        "holdfast: dump 3 refused: no frozen capture: the collector is ZGC\n");
}

TEST_CASE("a failed dump names the error first, then what was noted") {
  DumpRecord record;
  record.sequence = 2;
  const Error error = make_error(ErrorCode::kOutOfBudget, 7);
  const std::string line =
      "holdfast: dump 2 failed: " + std::string(error_text(error.code)) + " (detail 7)\n";
  CHECK(logged([&] { log_not_captured(record, error); }) == line);
  record.notes.add("the heap grew");
  CHECK(logged([&] { log_not_captured(record, error); }) ==
        line + "holdfast: dump 2: the heap grew\n");
  // Refused, and nobody said why: then the error itself.
  record.notes.clear();
  const std::string refused =
      logged([&] { log_not_captured(record, make_error(ErrorCode::kRefused)); });
  CHECK(refused.find("dump 2 failed: ") != std::string::npos);
}

TEST_CASE("what somebody gave up is no error: at info level only") {
  const auto give_up = [] { log_no_report(4, make_error(ErrorCode::kCancelled)); };
  CHECK(logged(give_up).find("dump 4: no report: cancelled") != std::string::npos);
  const platforms::ScratchDirectory scratch;
  REQUIRE(open_log(LogLevel::kError, scratch.file("log").c_str()).ok());
  give_up();
  (void)open_log(LogLevel::kError, "");
  CHECK(scratch.read("log").empty());
}

TEST_CASE("a report is named with its size and what it cost the application") {
  CHECK(logged([] { log_report("/tmp/a.hfr", 1234, 5'600'000); }) ==
        "holdfast: report /tmp/a.hfr (1234 bytes, application stopped for 5 ms)\n");
}
