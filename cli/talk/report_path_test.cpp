#include "cli/talk/report_path.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "cli/output_file.h"
#include "cli/talk/agent_options.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

namespace fs = std::filesystem;

// A /proc with one process, 42, that sees our files or others.
struct FakeProc {
  platforms::ScratchDirectory scratch;

  explicit FakeProc(bool ours, const char* user = "0", const std::string& cwd = "/") {
    fs::create_directories(scratch.file("self/ns"));
    fs::create_directories(scratch.file("42/ns"));
    fs::create_symlink("mnt:[1]", scratch.file("self/ns/mnt"));
    fs::create_symlink(ours ? "mnt:[1]" : "mnt:[2]", scratch.file("42/ns/mnt"));
    fs::create_symlink("/", scratch.file("42/root"));
    fs::create_symlink(cwd, scratch.file("42/cwd"));
    const std::string id = user;
    scratch.write("42/status", "Name:\tjava\nUid:\t" + id + "\t" + id + "\t" + id + "\t" + id +
                                   "\nGid:\t7\t7\t7\t7\nGroups:\t20 21 \n");
  }
  std::string path() const { return scratch.path(); }
};

}  // namespace

TEST_CASE("report path: as it is where both see the same files, else through /proc/PID/root") {
  const FakeProc same(true, "0", "/srv/app");
  CHECK(ProcessPaths(42, same.path()).path_for_caller("/var/dumps/a.hfr") == "/var/dumps/a.hfr");
  CHECK(ProcessPaths(42, same.path()).path_for_caller("./a.hfr") == "/srv/app/a.hfr");
  const FakeProc other(false, "0", "/srv/app");
  const std::string proc = other.path() + "/42";
  CHECK(ProcessPaths(42, other.path()).path_for_caller("/var/dumps/a.hfr") ==
        proc + "/root/var/dumps/a.hfr");
  CHECK(ProcessPaths(42, other.path()).path_for_caller("./a.hfr") == proc + "/cwd/a.hfr");
  CHECK_FALSE(sees_our_files(43, other.path()));
  CHECK(sees_our_files(static_cast<std::uint32_t>(::getpid())));
}

TEST_CASE("report path: of a process that ends during its dump, as it was before") {
  const FakeProc proc(true, "0", "/srv/app");
  const ProcessPaths place(42, proc.path());
  fs::remove_all(proc.scratch.file("42"));
  CHECK(place.path_for_caller("/var/dumps/a.hfr") == "/var/dumps/a.hfr");
  CHECK(place.path_for_caller("./a.hfr") == "/srv/app/a.hfr");
}

TEST_CASE("report path: another root in the same mount namespace is another view") {
  const FakeProc jailed(true);
  fs::remove(jailed.scratch.file("42/root"));
  fs::create_symlink("/tmp", jailed.scratch.file("42/root"));
  CHECK_FALSE(sees_our_files(42, jailed.path()));
}

TEST_CASE("start options: on=off, and a directory that the process can write to") {
  const platforms::ScratchDirectory place;
  const std::string own = place.path();
  CHECK(start_options(42, {}, FakeProc(true, "0", own).path()) == "on=off,dir=.");
  ::chmod(own.c_str(), 0755);
  CHECK(start_options(42, {}, FakeProc(true, "12345", own).path()) == "on=off,dir=/tmp");
  ::chmod(own.c_str(), 0777);
  CHECK(start_options(42, {}, FakeProc(true, "12345", own).path()) == "on=off,dir=.");
  CHECK(start_options(42, {}, FakeProc(true, "0", "/nowhere at all").path()) == "on=off,dir=/tmp");
  if (::geteuid() != 0) return;  // only root gives groups away
  REQUIRE(::chown(own.c_str(), 0, 21) == 0);
  ::chmod(own.c_str(), 0770);
  CHECK(start_options(42, {}, FakeProc(true, "12345", own).path()) == "on=off,dir=.");
  ::chmod(own.c_str(), 0707);  // the group is asked before the others
  CHECK(start_options(42, {}, FakeProc(true, "12345", own).path()) == "on=off,dir=/tmp");
}

TEST_CASE("start options: why a directory takes no reports of a process") {
  const platforms::ScratchDirectory place;
  const FakeProc stranger(true, "12345");
  CHECK(write_error_of(42, place.path(), stranger.path()) == EACCES);
  CHECK(write_error_of(42, place.path(), FakeProc(true, "0").path()) == 0);
  CHECK(write_error_of(42, place.file("none"), stranger.path()) == ENOENT);
  place.write("file", "");
  CHECK(write_error_of(42, place.file("file"), stranger.path()) == ENOTDIR);
  CHECK(write_error_of(43, place.path(), stranger.path()) == ESRCH);
}

TEST_CASE("start options: a working directory that was removed takes no reports") {
  platforms::ChildForTest process(
      [](void*) -> int {
        const platforms::ScratchDirectory gone;
        fs::current_path(gone.path());
        fs::remove(gone.path());
        for (;;) ::pause();
      },
      nullptr);
  const std::string cwd = "/proc/" + std::to_string(process.pid()) + "/cwd";
  std::error_code error;
  for (int tries = 0; tries < 1000 && !fs::read_symlink(cwd, error).string().ends_with("(deleted)");
       ++tries)
    ::usleep(1000);
  CHECK(start_options(process.pid(), {}) == "on=off,dir=/tmp");
}

TEST_CASE("start options: what the person names goes first") {
  const FakeProc same(true), other(false);
  CHECK(start_options(42, {"/var/dumps", ""}, same.path()) == "on=off,dir=/var/dumps");
  CHECK(start_options(42, {"", "on=oom,dir=/a,retain=weak"}, same.path()) ==
        "on=oom,dir=/a,retain=weak");
  CHECK(start_options(42, {"here", ""}, same.path()) ==
        "on=off,dir=" + (fs::current_path() / "here").string());
  CHECK_THROWS_AS(start_options(42, {"here", ""}, other.path()), Stop);
  CHECK_THROWS_AS(start_options(42, {"/a,b", ""}, same.path()), Stop);
  CHECK_THROWS_AS(start_options(42, {"/a", "dir=/b"}, same.path()), Stop);
  CHECK_THROWS_AS(start_options(42, {"", "pause=soon"}, same.path()), Stop);
}
