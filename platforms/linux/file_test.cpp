#include "platforms/file.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <set>
#include <string>

#include "platforms/fault_points.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

namespace {

int write_new(const std::string& path, const std::string& text) {
  const int file = create_file(path.c_str());
  REQUIRE(file >= 0);
  REQUIRE(write_all(file, text.data(), text.size()) == 0);
  return file;
}

std::set<std::string> names_in(const char* directory) {
  std::set<std::string> names;
  const int error = list_directory(
      directory,
      [](void* all, const char* name) { static_cast<std::set<std::string>*>(all)->insert(name); },
      &names);
  CHECK(error == 0);
  return names;
}

}  // namespace

TEST_CASE("a file is created only where there is none, for its owner alone, and not inherited") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a");
  const int file = create_file(path.c_str());
  REQUIRE(file > 2);
  struct stat info {};
  REQUIRE(::fstat(file, &info) == 0);
  CHECK((info.st_mode & 0777) == 0600);
  CHECK((::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
  CHECK(create_file(path.c_str()) == -EEXIST);
  CHECK(create_file(scratch.file("no/a").c_str()) == -ENOENT);
  CHECK(sync_and_close(file) == 0);
  REQUIRE(::symlink(scratch.file("target").c_str(), scratch.file("link").c_str()) == 0);
  CHECK(create_file(scratch.file("link").c_str()) == -EEXIST);
  CHECK_FALSE(scratch.has("target"));
}

TEST_CASE("a closed standard stream is never taken for a file of ours") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("report");
  const std::string log = scratch.file("log");
  const int result = run_in_child([&] {
    for (const int standard : {0, 1, 2}) ::close(standard);
    const int file = create_file(path.c_str());
    const int other = append_file(log.c_str());
    const bool above = file > 2 && other > 2 && (::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0;
    return above && ::fcntl(2, F_GETFD) < 0 ? 0 : 1;
  });
  CHECK(result == 0);
}

TEST_CASE("publishing moves a complete file and never replaces one") {
  const ScratchDirectory scratch;
  CHECK(sync_and_close(write_new(scratch.file("a.tmp"), "first")) == 0);
  CHECK(publish_file(scratch.file("a.tmp").c_str(), scratch.file("a").c_str()) == 0);
  CHECK(scratch.read("a") == "first");
  CHECK(sync_and_close(write_new(scratch.file("b.tmp"), "second")) == 0);
  CHECK(publish_file(scratch.file("b.tmp").c_str(), scratch.file("a").c_str()) == EEXIST);
  CHECK(scratch.read("a") == "first");
  CHECK(scratch.has("b.tmp"));
  CHECK(publish_file(scratch.file("none").c_str(), scratch.file("c").c_str()) == ENOENT);
  CHECK(file_exists(scratch.file("a").c_str()));
  CHECK_FALSE(file_exists(scratch.file("c").c_str()));
}

#if defined(HF_FAULT_POINTS)

TEST_CASE("where the file system cannot refuse to replace, a hard link does") {
  for (const int error : {EINVAL, ENOSYS, EOPNOTSUPP, EPERM}) {
    const ScratchDirectory scratch;
    const FaultScope fault(FaultPoint::kRename,
                           {.times = 2, .error = static_cast<std::uint16_t>(error)});
    CHECK(sync_and_close(write_new(scratch.file("a.tmp"), "one")) == 0);
    CHECK(publish_file(scratch.file("a.tmp").c_str(), scratch.file("a").c_str()) == 0);
    CHECK(names_in(scratch.path()) == std::set<std::string>{"a"});
    CHECK(sync_and_close(write_new(scratch.file("b.tmp"), "two")) == 0);
    CHECK(publish_file(scratch.file("b.tmp").c_str(), scratch.file("a").c_str()) == EEXIST);
    CHECK(scratch.read("a") == "one");
    CHECK(fault.spent());
  }
}

TEST_CASE("an error after the rename leaves no file under the final name") {
  const ScratchDirectory scratch;
  const FaultScope fault(FaultPoint::kSyncDirectory);
  CHECK(sync_and_close(write_new(scratch.file("a.tmp"), "one")) == 0);
  CHECK(publish_file(scratch.file("a.tmp").c_str(), scratch.file("a").c_str()) == EIO);
  CHECK(scratch.count() == 0);
}

#endif

TEST_CASE("only a plain file of ours that nobody writes is removed as abandoned") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a");
  const int file = write_new(path, "x");
  CHECK(remove_abandoned_file(path.c_str()) == EWOULDBLOCK);
  close_quietly(file);
  CHECK(remove_abandoned_file(path.c_str()) == 0);
  CHECK(remove_abandoned_file(path.c_str()) == ENOENT);

  scratch.write("target", "precious");
  REQUIRE(::symlink(scratch.file("target").c_str(), path.c_str()) == 0);
  CHECK(remove_abandoned_file(path.c_str()) == ELOOP);
  REQUIRE(::mkdir(scratch.file("folder").c_str(), 0700) == 0);
  CHECK(remove_abandoned_file(scratch.file("folder").c_str()) == EISDIR);
  REQUIRE(::mkfifo(scratch.file("pipe").c_str(), 0600) == 0);
  CHECK(remove_abandoned_file(scratch.file("pipe").c_str()) != 0);
  CHECK(scratch.count() == 4);
  if (::geteuid() != 0) return;
  REQUIRE(::chown(scratch.file("target").c_str(), 4711, 4711) == 0);
  CHECK(remove_abandoned_file(scratch.file("target").c_str()) == EPERM);
  CHECK(scratch.read("target") == "precious");
}

TEST_CASE("a file that another process is writing is not abandoned; one that it left is") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a");
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    create_file(path.c_str());
    [[maybe_unused]] const ssize_t said = ::write(ready[1], "x", 1);
    while (true) ::pause();
  }
  char byte;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(remove_abandoned_file(path.c_str()) == EWOULDBLOCK);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(remove_abandoned_file(path.c_str()) == 0);
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE("a file size limit is an error, not the end") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("a");
  const int result = run_in_child([&] {
    sigset_t all;  // as on every thread of ours
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, nullptr);
    const rlimit small{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const int file = create_file(path.c_str());
    const std::string text(10'000, 'x');
    return write_all(file, text.data(), text.size());
  });
  CHECK(result == EFBIG);
}

TEST_CASE("a full disk is an error (a file system of 64 KiB, where we may mount one)") {
  const ScratchDirectory scratch;
  if (::mount("tmpfs", scratch.path(), "tmpfs", 0, "size=64k") != 0) {
    MESSAGE("not allowed to mount a file system here: skipped");
    return;
  }
  const std::string text(100'000, 'x');
  const int file = create_file(scratch.file("a").c_str());
  REQUIRE(file >= 0);
  CHECK(free_disk_bytes(scratch.path()) <= 64 * 1024);
  CHECK(write_all(file, text.data(), text.size()) == ENOSPC);
  close_quietly(file);
  CHECK(::umount(scratch.path()) == 0);
}

TEST_CASE("a directory that cannot be written is told apart") {
  const ScratchDirectory scratch;
  CHECK(check_directory_writable(scratch.path()) == 0);
  CHECK(check_directory_writable(scratch.file("none").c_str()) == ENOENT);
  scratch.write("file", "");
  CHECK(check_directory_writable(scratch.file("file").c_str()) == ENOTDIR);
  REQUIRE(::chmod(scratch.path(), 0500) == 0);
  const int result = run_in_child([&] {
    if (::geteuid() == 0 && (::setgid(4711) != 0 || ::setuid(4711) != 0)) return EACCES;
    return check_directory_writable(scratch.path());
  });
  CHECK(result == EACCES);
  ::chmod(scratch.path(), 0700);
}

TEST_CASE("a file can be published in a directory that may be written but not listed") {
  const ScratchDirectory scratch;
  if (::geteuid() == 0) REQUIRE(::chown(scratch.path(), 4711, 4711) == 0);
  const int result = run_in_child([&] {
    if (::geteuid() == 0 && (::setgid(4711) != 0 || ::setuid(4711) != 0)) return 1;
    ::chmod(scratch.path(), 0300);
    const int file = create_file(scratch.file("a.tmp").c_str());
    if (file < 0 || sync_and_close(file) != 0) return 2;
    const int error = publish_file(scratch.file("a.tmp").c_str(), scratch.file("a").c_str());
    return error == 0 && file_exists(scratch.file("a").c_str()) ? 0 : 3;
  });
  CHECK(result == 0);
  ::chmod(scratch.path(), 0700);
}

TEST_CASE("whole files become memory; what is no plain file does not, at once") {
  const ScratchDirectory scratch;
  MappedFile file;
  scratch.write("a", "hello");
  CHECK(map_file(scratch.file("a").c_str(), file) == 0);
  CHECK(std::string(reinterpret_cast<const char*>(file.data), file.bytes) == "hello");
  unmap_file(file);
  CHECK(file.data == nullptr);
  scratch.write("empty", "");
  CHECK(map_file(scratch.file("empty").c_str(), file) == 0);
  CHECK(file.data == nullptr);
  CHECK(map_file(scratch.file("none").c_str(), file) == ENOENT);
  CHECK(map_file(scratch.path(), file) == EISDIR);
  REQUIRE(::mkfifo(scratch.file("pipe").c_str(), 0600) == 0);
  CHECK(map_file(scratch.file("pipe").c_str(), file) == EINVAL);
}

TEST_CASE("small files are read up to what there is room for") {
  const ScratchDirectory scratch;
  scratch.write("a", "hello");
  char text[8];
  CHECK(read_small_file(scratch.file("a").c_str(), text, sizeof text) == 5);
  CHECK(read_small_file(scratch.file("a").c_str(), text, 3) == 3);
  CHECK(read_small_file(scratch.file("b").c_str(), text, 3) == -ENOENT);
  CHECK(read_small_file("/proc/self/status", text, sizeof text) == 8);
}

TEST_CASE("of a pipe that nobody writes to nothing is read, and nobody waits") {
  const ScratchDirectory scratch;
  char text[8];
  REQUIRE(::mkfifo(scratch.file("pipe").c_str(), 0600) == 0);
  CHECK(read_small_file(scratch.file("pipe").c_str(), text, sizeof text) == 0);
}

TEST_CASE("appending keeps what is there") {
  const ScratchDirectory scratch;
  for (const char* word : {"one ", "two"}) {
    const int file = append_file(scratch.file("log").c_str());
    REQUIRE(file >= 0);
    CHECK(write_all(file, word, std::string(word).size()) == 0);
    close_quietly(file);
  }
  CHECK(scratch.read("log") == "one two");
  CHECK(append_file(scratch.file("no/log").c_str()) == -ENOENT);
}

TEST_CASE("a directory's names, and when a file was last written") {
  const ScratchDirectory scratch;
  scratch.write("a", "");
  scratch.write("b", "");
  CHECK(names_in(scratch.path()) == std::set<std::string>{"a", "b"});
  CHECK(list_directory(scratch.file("none").c_str(), nullptr, nullptr) == ENOENT);
  CHECK(file_modified_ns(scratch.file("none").c_str()) == 0);
  const timespec times[2] = {{5, 6}, {7, 8}};
  REQUIRE(::utimensat(AT_FDCWD, scratch.file("a").c_str(), times, 0) == 0);
  CHECK(file_modified_ns(scratch.file("a").c_str()) == 7'000'000'008u);
  CHECK(remove_file(scratch.file("a").c_str()) == 0);
  CHECK(remove_file(scratch.file("a").c_str()) == ENOENT);
  CHECK(free_disk_bytes("/nonexistent") == UINT64_MAX);
}

TEST_CASE("an unnamed file can be written and mapped, and leaves nothing behind") {
  const ScratchDirectory scratch;
  const auto check = [&] {
    const int file = create_unnamed_file(scratch.path());
    REQUIRE(file > 2);
    CHECK((::fcntl(file, F_GETFD) & FD_CLOEXEC) != 0);
    CHECK(scratch.count() == 0);
    REQUIRE(write_all(file, "bytes", 5) == 0);
    MappedFile mapped;
    REQUIRE(map_descriptor(file, mapped) == 0);
    close_quietly(file);
    REQUIRE(mapped.bytes == 5);
    CHECK(std::string(reinterpret_cast<const char*>(mapped.data), 5) == "bytes");
    unmap_file(mapped);
  };
  check();
#if defined(HF_FAULT_POINTS)
  const FaultScope without_tmpfile(FaultPoint::kCreateFile,
                                   {0, 1u, static_cast<std::uint16_t>(EOPNOTSUPP)});
  check();
#endif
  CHECK(create_unnamed_file(scratch.file("no").c_str()) == -ENOENT);
}
