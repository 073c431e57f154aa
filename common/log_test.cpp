#include "common/log.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <string>

#include "platforms/scratch_for_test.h"
#include "platforms/thread.h"

using namespace holdfast;

namespace {

// The log is the process's: put back as other tests expect it.
struct RestoredLog {
  ~RestoredLog() { (void)open_log(LogLevel::kError, ""); }
};

}  // namespace

TEST_CASE("lines go to the file by level, each with its name in front") {
  const platforms::ScratchDirectory scratch;
  const RestoredLog restored;
  REQUIRE(open_log(LogLevel::kInfo, scratch.file("log").c_str()).ok());
  CHECK(log_enabled(LogLevel::kError));
  CHECK(log_enabled(LogLevel::kInfo));
  CHECK_FALSE(log_enabled(LogLevel::kDebug));
  CHECK_FALSE(log_enabled(LogLevel::kOff));
  log_line(LogLevel::kError, "%s %d", "one", 1);
  log_line(LogLevel::kDebug, "two");
  log_line(LogLevel::kInfo, "a\nb\x1B[31m\x7F\xC3\xA4");
  CHECK(scratch.read("log") == "holdfast: one 1\nholdfast: a?b?[31m?\xC3\xA4\n");
  REQUIRE(open_log(LogLevel::kOff, scratch.file("log").c_str()).ok());
  CHECK_FALSE(log_enabled(LogLevel::kError));
  log_line(LogLevel::kError, "three");
  CHECK(scratch.read("log").find("three") == std::string::npos);
}

TEST_CASE("a long line is cut and still ends") {
  const platforms::ScratchDirectory scratch;
  const RestoredLog restored;
  REQUIRE(open_log(LogLevel::kError, scratch.file("log").c_str()).ok());
  for (const std::size_t length :
       {kMaxLogLine - 12, kMaxLogLine - 11, kMaxLogLine - 10, kMaxLogLine, 5 * kMaxLogLine}) {
    const std::string before = scratch.read("log");
    log_line(LogLevel::kError, "%s", std::string(length, 'x').c_str());
    const std::string line = scratch.read("log").substr(before.size());
    CHECK(line.size() <= kMaxLogLine);
    CHECK(line.find('\n') == line.size() - 1);
    CHECK(line.size() == std::min(length + 11, kMaxLogLine - 1));
  }
}

TEST_CASE("a log file that cannot be made is an error and changes nothing") {
  const platforms::ScratchDirectory scratch;
  const RestoredLog restored;
  REQUIRE(open_log(LogLevel::kInfo, scratch.file("log").c_str()).ok());
  const auto refused = open_log(LogLevel::kDebug, scratch.file("no/log").c_str());
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kIo);
  CHECK(refused.error().detail == ENOENT);
  CHECK_FALSE(log_enabled(LogLevel::kDebug));
  log_line(LogLevel::kInfo, "still here");
  CHECK(scratch.read("log") == "holdfast: still here\n");
}

TEST_CASE("lines of several threads do not mix") {
  const platforms::ScratchDirectory scratch;
  const RestoredLog restored;
  REQUIRE(open_log(LogLevel::kInfo, scratch.file("log").c_str()).ok());
  const auto speak = [](void*) {
    for (int i = 0; i < 200; ++i) log_line(LogLevel::kInfo, "%s", std::string(300, 'y').c_str());
  };
  platforms::Thread threads[3];
  for (auto& thread : threads) REQUIRE(thread.start("hf-speak", 1 << 18, speak, nullptr) == 0);
  for (auto& thread : threads) thread.join();
  const std::string line = "holdfast: " + std::string(300, 'y') + "\n";
  const std::string text = scratch.read("log");
  REQUIRE(text.size() == 600 * line.size());
  for (std::size_t at = 0; at < text.size(); at += line.size())
    if (text.compare(at, line.size(), line) != 0) FAIL("a mixed line");
}
