#include "common/atomic_file.h"

#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "common/file_name.h"
#include "platforms/fault_points.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using platforms::ScratchDirectory;

namespace {

std::string temporary_of(const std::string& name, std::uint32_t pid) {
  return name + "." + std::to_string(pid) + ".tmp";
}

Result<void> write_whole(const ScratchDirectory& scratch, const char* name,
                         const std::string& text) {
  AtomicFile file;
  HF_CHECK_OK(file.open(scratch.path(), name));
  HF_CHECK_OK(file.write(text.data(), text.size()));
  return file.publish();
}

void set_age(const ScratchDirectory& scratch, const std::string& name, int seconds) {
  std::filesystem::last_write_time(scratch.file(name),
                                   std::filesystem::file_time_type(std::chrono::seconds(seconds)));
}

}  // namespace

TEST_CASE("a file is there when it is complete, and only then") {
  const ScratchDirectory scratch;
  AtomicFile file;
  REQUIRE(file.open(scratch.path(), "a.hfr").ok());
  CHECK(scratch.has(temporary_of("a.hfr", platforms::process_id())));
  CHECK(file.write("hel", 3).ok());
  CHECK_FALSE(scratch.has("a.hfr"));
  CHECK(file.write("lo", 2).ok());
  CHECK(file.publish().ok());
  CHECK(scratch.read("a.hfr") == "hello");
  CHECK(std::string(file.path()) == scratch.file("a.hfr"));
  CHECK(scratch.count() == 1);
  using std::filesystem::perms;
  CHECK(std::filesystem::status(file.path()).permissions() ==
        (perms::owner_read | perms::owner_write));
}

TEST_CASE("what is given up, destroyed or opened again leaves nothing") {
  const ScratchDirectory scratch;
  {
    AtomicFile file;
    REQUIRE(file.open(scratch.path(), "a.hfr").ok());
    REQUIRE(file.open(scratch.path(), "b.hfr").ok());
    CHECK(scratch.count() == 1);
    file.abandon();
    CHECK(scratch.count() == 0);
    file.abandon();
    REQUIRE(file.open(scratch.path(), "c.hfr").ok());
  }
  CHECK(scratch.count() == 0);
  AtomicFile never;
  CHECK_FALSE(never.publish().ok());
  CHECK_FALSE(never.write("x", 1).ok());
}

TEST_CASE("an existing file is never overwritten") {
  const ScratchDirectory scratch;
  scratch.write("a.hfr", "old");
  const auto refused = write_whole(scratch, "a.hfr", "new");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::kExists);
  CHECK(scratch.read("a.hfr") == "old");
  CHECK(scratch.count() == 1);
  AtomicFile first, second;
  REQUIRE(first.open(scratch.path(), "b.hfr").ok());
  CHECK(second.open(scratch.path(), "b.hfr").error().detail == EEXIST);  // being written by us
  CHECK(first.publish().ok());
}

TEST_CASE("directories that are not there, names that are too long") {
  const ScratchDirectory scratch;
  AtomicFile file;
  CHECK(file.open(scratch.file("none").c_str(), "a.hfr").error().detail == ENOENT);
  CHECK(file.open(std::string(5000, 'd').c_str(), "a.hfr").error().detail == ENAMETOOLONG);
  file.abandon();
  // The longest name that a pattern can give can be written.
  const std::string longest = std::string(kMaxFileName - 4, 'x') + ".hfr";
  CHECK(write_whole(scratch, longest.c_str(), "x").ok());
  CHECK(scratch.has(longest));
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("whatever step fails, nothing is left, and the next one works") {
  using platforms::FaultPoint;
  for (const FaultPoint point : {FaultPoint::kCreateFile, FaultPoint::kWrite, FaultPoint::kSync,
                                 FaultPoint::kRename, FaultPoint::kSyncDirectory}) {
    const ScratchDirectory scratch;
    const platforms::FaultScope fault(point, {.error = ENOSPC});
    const auto refused = write_whole(scratch, "a.hfr", "text");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == ErrorCode::kIo);
    CHECK(refused.error().detail == ENOSPC);
    CHECK(scratch.count() == 0);
    CHECK(write_whole(scratch, "a.hfr", "text").ok());
  }
}
#endif

TEST_CASE("a full disk leaves nothing (a file system of 64 KiB, where we may mount one)") {
  const ScratchDirectory scratch;
  if (!platforms::mount_disk_for_test(scratch.path(), 64 << 10)) {
    MESSAGE("not allowed to mount a file system here: skipped");
    return;
  }
  const auto refused = write_whole(scratch, "a.hfr", std::string(200'000, 'x'));
  CHECK_FALSE(refused.ok());
  CHECK(refused.error().detail == ENOSPC);
  CHECK(scratch.count() == 0);
  CHECK(write_whole(scratch, "a.hfr", "small").ok());
  platforms::unmount_disk_for_test(scratch.path());
}

TEST_CASE("a file size limit leaves nothing") {
  const ScratchDirectory scratch;
  const int result = platforms::run_in_child([&] {
    platforms::limit_file_size_for_test(4096);
    const auto refused = write_whole(scratch, "a.hfr", std::string(10'000, 'x'));
    return !refused && refused.error().detail == EFBIG ? 0 : 1;
  });
  CHECK(result == 0);
  CHECK(scratch.count() == 0);
}

TEST_CASE("killed in the middle: the next start removes what is left, once nobody writes it") {
  ScratchDirectory scratch;
  const auto write_half = [](void* raw) {
    AtomicFile file;
    auto& where = *static_cast<ScratchDirectory*>(raw);
    if (!file.open(where.path(), "a.hfr") || !file.write("half", 4)) return 1;
    where.write("ready", "");
    while (true) std::this_thread::sleep_for(std::chrono::seconds(1));
  };
  platforms::ChildForTest child(write_half, &scratch);
  while (!scratch.has("ready")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  CHECK(remove_stale_temporaries(scratch.path()) == 0);
  // As another container sees it: no such process, but the file is being written.
  const std::string left = temporary_of("a.hfr", child.pid());
  const std::string foreign = temporary_of("a.hfr", platforms::dead_pid_for_test());
  std::filesystem::rename(scratch.file(left), scratch.file(foreign));
  CHECK(remove_stale_temporaries(scratch.path()) == 0);
  child.kill();
  CHECK(remove_stale_temporaries(scratch.path()) == 1);
  CHECK(scratch.count() == 1);  // "ready"
}

TEST_CASE("only our own left-over temporaries go: by name, process, owner and kind") {
  const ScratchDirectory scratch;
  const std::uint32_t dead = platforms::dead_pid_for_test();
  const std::vector<std::string> stale = {
      temporary_of("a.hfr", dead), temporary_of("b.hfs", dead),
      temporary_of("c.hfr", platforms::process_id())};  // an earlier life's
  const std::vector<std::string> kept = {"a.hfr",
                                         "notes.txt",
                                         temporary_of("a.txt", dead),
                                         "a.hfr.tmp",
                                         "a.hfr.12x.tmp",
                                         "a.hfr..tmp",
                                         "a.hfr.-1.tmp",
                                         ".tmp",
                                         "a.hfr.99999999999.tmp",
                                         "a.hfr.4294967297.tmp",
                                         temporary_of("a.hfr", 1)};
  for (const auto& name : stale) scratch.write(name, "x");
  for (const auto& name : kept) scratch.write(name, "x");
  const std::string link = temporary_of("link.hfr", dead);
  std::filesystem::create_symlink(scratch.file("notes.txt"), scratch.file(link));
  const std::string theirs = temporary_of("theirs.hfr", dead);
  scratch.write(theirs, "x");
  const bool given = platforms::give_away_for_test(scratch.file(theirs).c_str());
  if (!given) std::filesystem::remove(scratch.file(theirs));
  CHECK(remove_stale_temporaries(scratch.path()) == static_cast<int>(stale.size()));
  for (const auto& name : stale) CHECK_FALSE(scratch.has(name));
  for (const auto& name : kept) CHECK(scratch.has(name));
  CHECK(scratch.has(link));
  CHECK(scratch.has(theirs) == given);
  CHECK(remove_stale_temporaries(scratch.file("none").c_str()) == 0);
}

TEST_CASE("a left-over of our own number does not stand in the way") {
  const ScratchDirectory scratch;
  scratch.write(temporary_of("a.hfr", platforms::process_id()), "of an earlier life");
  CHECK(write_whole(scratch, "a.hfr", "new").ok());
  CHECK(scratch.read("a.hfr") == "new");
  CHECK(scratch.count() == 1);
}

TEST_CASE("the least recently written go first, of this service and this user only") {
  const ScratchDirectory scratch;
  // By name 10 would go before 9.
  for (int i = 1; i <= 12; ++i) {
    const std::string name = "app-" + std::to_string(i) + ".hfr";
    scratch.write(name, "x");
    set_age(scratch, name, 1000 + i);
  }
  for (const char* other : {"other-1.hfr", "app-1.hfs", "app-1.hfr.txt"}) {
    scratch.write(other, "x");
    set_age(scratch, other, 1);
  }
  CHECK(remove_oldest_files(scratch.path(), "app-", ".hfr", 10) == 2);
  CHECK_FALSE(scratch.has("app-1.hfr"));
  CHECK_FALSE(scratch.has("app-2.hfr"));
  CHECK(scratch.has("app-10.hfr"));
  CHECK(scratch.has("other-1.hfr"));
  CHECK(scratch.has("app-1.hfs"));
  CHECK(remove_oldest_files(scratch.path(), "app-", ".hfr", 10) == 0);
  if (platforms::give_away_for_test(scratch.file("app-3.hfr").c_str())) {
    CHECK(remove_oldest_files(scratch.path(), "app-", ".hfr", 8) == 1);
    CHECK(scratch.has("app-3.hfr"));
    CHECK_FALSE(scratch.has("app-4.hfr"));
  }
  CHECK(remove_oldest_files(scratch.file("none").c_str(), "app-", ".hfr", 1) == 0);
}
