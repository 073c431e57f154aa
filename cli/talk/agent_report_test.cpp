#include "cli/talk/agent_report.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "analysis/report/file_header.h"
#include "cli/output_file.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

namespace fs = std::filesystem;

std::string report_text() {
  return std::string(analysis::kReportMagic.begin(), analysis::kReportMagic.end()) + "the rest";
}

std::uint32_t own_pid() { return static_cast<std::uint32_t>(::getpid()); }

// The exit code of what is thrown; kDone where it could be read.
ExitCode code_of_reading(std::uint32_t pid, const std::string& path, std::uint64_t bytes) {
  try {
    return AgentReports(pid).read(path, bytes, "shown").size() == bytes ? ExitCode::kDone
                                                                        : ExitCode::kOurFault;
  } catch (const Stop& stop) {
    CHECK(stop.text.find("shown: ") == 0);
    return stop.code;
  }
}

ExitCode code_of_reading(const std::string& path) {
  return code_of_reading(own_pid(), path, report_text().size());
}

// A process of another user, which does nothing.
platforms::ChildForTest other_users_process() {
  return {[](void*) -> int {
            if (!platforms::become_other_user_for_test()) return 1;
            for (;;) ::pause();
          },
          nullptr};
}

}  // namespace

TEST_CASE("agent report: a plain file that begins as a report, of the length that was told") {
  const platforms::ScratchDirectory scratch;
  scratch.write("a.hfr", report_text());
  scratch.write("letter.hfr", "dear all, this is none");
  fs::create_directory(scratch.file("deep"));
  fs::create_directory_symlink("deep", scratch.file("by link"));
  scratch.write("deep/b.hfr", report_text());
  CHECK(code_of_reading(scratch.file("a.hfr")) == ExitCode::kDone);
  CHECK(code_of_reading(scratch.file("by link/b.hfr")) == ExitCode::kDone);
  CHECK(code_of_reading(scratch.file("deep/../a.hfr")) == ExitCode::kDone);
  CHECK(code_of_reading(fs::relative(scratch.file("a.hfr"))) == ExitCode::kDone);
  CHECK(code_of_reading(own_pid(), scratch.file("letter.hfr"), 22) == ExitCode::kBadInput);
  for (const int change : {-1, 1})
    CHECK(code_of_reading(own_pid(), scratch.file("a.hfr"),
                          report_text().size() + static_cast<std::uint64_t>(change)) ==
          ExitCode::kBadInput);
  CHECK(code_of_reading(own_pid(), scratch.file("a.hfr"), kMaxAgentReportBytes + 1) ==
        ExitCode::kRefused);
  CHECK(code_of_reading(own_pid(), scratch.file("a.hfr"), UINT64_MAX) == ExitCode::kRefused);
}

TEST_CASE("agent report: no link, pipe, device or directory, and nothing that is not there") {
  const platforms::ScratchDirectory scratch;
  scratch.write("a.hfr", report_text());
  fs::create_symlink(scratch.file("a.hfr"), scratch.file("link.hfr"));
  REQUIRE(::mkfifo(scratch.file("pipe.hfr").c_str(), 0600) == 0);
  CHECK(code_of_reading(scratch.file("link.hfr")) == ExitCode::kRefused);
  CHECK(code_of_reading(scratch.file("pipe.hfr")) == ExitCode::kBadInput);
  CHECK(code_of_reading(scratch.path()) == ExitCode::kBadInput);
  CHECK(code_of_reading("/dev/zero") == ExitCode::kBadInput);
  CHECK(code_of_reading(scratch.file("gone.hfr")) == ExitCode::kRefused);
  CHECK(code_of_reading("") == ExitCode::kRefused);
  CHECK(code_of_reading(platforms::dead_pid_for_test(), scratch.file("a.hfr"), 1) ==
        ExitCode::kRefused);
}

TEST_CASE("agent report: links of another root lead nowhere outside it") {
  if (::geteuid() != 0) return;  // only root may change roots
  const platforms::ScratchDirectory inside, outside;
  outside.write("a.hfr", report_text());
  fs::create_directory(inside.file("var"));
  inside.write("var/a.hfr", report_text());
  fs::create_directory_symlink("/var", inside.file("dumps"));
  fs::create_directory_symlink(outside.path(), inside.file("out"));
  std::string root = inside.path();
  platforms::ChildForTest process(
      [](void* path) -> int {
        const bool moved =
            ::chroot(static_cast<const std::string*>(path)->c_str()) == 0 && ::chdir("/var") == 0;
        if (!moved) return 1;
        for (;;) ::pause();
      },
      &root);
  const std::string cwd = "/proc/" + std::to_string(process.pid()) + "/cwd";
  std::error_code error;
  for (int tries = 0; tries < 1000 && !fs::equivalent(cwd, inside.file("var"), error); ++tries)
    ::usleep(1000);
  const auto read = [&](const std::string& path) {
    return code_of_reading(process.pid(), path, report_text().size());
  };
  CHECK(read("/dumps/a.hfr") == ExitCode::kDone);
  CHECK(read("./a.hfr") == ExitCode::kDone);
  CHECK(read("../dumps/a.hfr") == ExitCode::kDone);
  CHECK(read("/out/a.hfr") == ExitCode::kRefused);
  CHECK(read(outside.file("a.hfr")) == ExitCode::kRefused);
  CHECK(read("../../../.." + outside.file("a.hfr")) == ExitCode::kRefused);
}

TEST_CASE("agent report: root reads what the process' user may, and only a file of that user") {
  if (::geteuid() != 0) return;  // only root becomes others
  const platforms::ScratchDirectory scratch;
  fs::permissions(scratch.path(), fs::perms::all);
  for (const char* name : {"secret.hfr", "theirs.hfr", "open.hfr"})
    scratch.write(name, report_text());
  fs::permissions(scratch.file("secret.hfr"), fs::perms::owner_read);
  constexpr ::uid_t kOther = 65534;  // become_other_user_for_test()
  REQUIRE(::chown(scratch.file("theirs.hfr").c_str(), kOther, kOther) == 0);
  platforms::ChildForTest process = other_users_process();
  platforms::OtherProcess facts;
  for (int tries = 0; tries < 1000 && facts.effective_user != kOther; ++tries) {
    REQUIRE(platforms::read_other_process(process.pid(), facts) == 0);
    ::usleep(1000);
  }
  const auto read = [&](const char* name) {
    return code_of_reading(process.pid(), scratch.file(name), report_text().size());
  };
  CHECK(read("theirs.hfr") == ExitCode::kDone);
  CHECK(read("secret.hfr") == ExitCode::kRefused);
  CHECK(read("open.hfr") == ExitCode::kBadInput);  // may be read, but is none of theirs
  CHECK(::geteuid() == 0);
}
