#include "platforms/foreign_files.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "platforms/fault_points.h"
#include "platforms/file.h"
#include "platforms/local_socket.h"
#include "platforms/local_stream.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

namespace {

Descriptor opened(const std::string& path) {
  return Descriptor(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

ino_t inode_of(int descriptor) {
  struct stat info {};
  return ::fstat(descriptor, &info) == 0 ? info.st_ino : 0;
}

int listen_at(const std::string& path) {
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener, 0) == 0);
  return listener;
}

}  // namespace

TEST_CASE("strictly: no step may be a link, nor lead upwards") {
  ScratchDirectory root;
  std::filesystem::create_directories(root.file("a/b"));
  std::filesystem::create_directory_symlink("/etc", root.file("a/out"));
  std::filesystem::create_directory_symlink("b", root.file("a/in"));
  root.write("file", "");
  const Descriptor at = opened(root.path());
  const Descriptor found = open_directory_strictly(at.get(), "//a/b/");
  REQUIRE(found.valid());
  CHECK(inode_of(found.get()) == inode_of(opened(root.file("a/b")).get()));
  CHECK(open_directory_strictly(at.get(), "/a/out").error() == ELOOP);
  CHECK(open_directory_strictly(at.get(), "/a/in").error() == ELOOP);
  CHECK(open_directory_strictly(at.get(), "/a/../a").error() == EINVAL);
  CHECK(open_directory_strictly(at.get(), "/none").error() == ENOENT);
  CHECK(open_directory_strictly(at.get(), "/file").error() == ENOTDIR);
  CHECK(open_directory_strictly(at.get(), ("/" + std::string(300, 'x')).c_str()).error() ==
        ENAMETOOLONG);
}

TEST_CASE("inside: links are resolved as in the other's root, and never lead out of it") {
  ScratchDirectory root;
  std::filesystem::create_directories(root.file("var/tmp"));
  std::filesystem::create_directory_symlink("/var/tmp", root.file("tmp"));
  std::filesystem::create_directory_symlink("/etc", root.file("out"));
  std::filesystem::create_directory_symlink("../../../../..", root.file("up"));
  const Descriptor at = opened(root.path());
  const Descriptor probe = open_directory_inside(at.get(), "/tmp");
  if (probe.error() == ELOOP) {
    MESSAGE("this kernel has no openat2: links are refused instead");
    return;
  }
  CHECK(inode_of(probe.get()) == inode_of(opened(root.file("var/tmp")).get()));
  CHECK(open_directory_inside(at.get(), "/out").error() == ENOENT);
  CHECK(inode_of(open_directory_inside(at.get(), "/up").get()) == inode_of(at.get()));
}

TEST_CASE("new files and directories: exclusively, never through a link") {
  ScratchDirectory root;
  const Descriptor at = opened(root.path());
  const Descriptor made = make_directory_in(at.get(), "own");
  REQUIRE(made.valid());
  CHECK(make_directory_in(at.get(), "own").error() == EEXIST);
  std::filesystem::create_symlink("/tmp/hf-must-not-be-made", root.file("own/link"));
  CHECK(create_in(made.get(), "link", 0600).error() == EEXIST);
  CHECK_FALSE(file_exists("/tmp/hf-must-not-be-made"));
  const Descriptor file = create_in(made.get(), "file", 0600);
  REQUIRE(file.valid());
  CHECK(create_in(made.get(), "file", 0600).error() == EEXIST);
  CHECK(set_mode(file.get(), 0500) == 0);
  struct stat info {};
  REQUIRE(::stat(root.file("own/file").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777u) == 0500u);
  FileOwner owner;
  REQUIRE(read_owner_in(made.get(), "link", owner) == 0);
  CHECK(owner.user == ::geteuid());
  CHECK_FALSE(owner.is_socket);
  CHECK(remove_directory_in(at.get(), "own") == ENOTEMPTY);
  CHECK(remove_in(made.get(), "file") == 0);
  CHECK(remove_in(made.get(), "link") == 0);
  CHECK(remove_in(made.get(), "file") == ENOENT);
  CHECK(remove_directory_in(at.get(), "own") == 0);
#if defined(HF_FAULT_POINTS)
  FaultScope fault(FaultPoint::kCreateFile, {.error = ENOSPC});
  CHECK(create_in(at.get(), "full", 0600).error() == ENOSPC);
#endif
}

TEST_CASE("what a directory's file system allows") {
  DirectoryFacts facts;
  REQUIRE(read_directory_facts(opened("/proc").get(), facts) == 0);
  ScratchDirectory scratch;
  REQUIRE(read_directory_facts(opened(scratch.path()).get(), facts) == 0);
  CHECK_FALSE(facts.read_only);
  CHECK(facts.free_bytes > 0);
  CHECK(read_directory_facts(-1, facts) == EBADF);
}

TEST_CASE("the first bytes of a file, and never of what a link leads to") {
  ScratchDirectory root;
  const Descriptor at = opened(root.path());
  root.write("file", "hello");
  std::filesystem::create_symlink("file", root.file("link"));
  char text[4];
  CHECK(read_first_in(at.get(), "file", text, sizeof text) == 4);
  CHECK(std::string(text, 4) == "hell");
  CHECK(read_first_in(at.get(), "link", text, sizeof text) == -ELOOP);
  CHECK(read_first_in(at.get(), "none", text, sizeof text) == -ENOENT);
}

TEST_CASE("a file to be read is opened without a link and without waiting for a writer") {
  ScratchDirectory root;
  const Descriptor at = opened(root.path());
  root.write("file", "hello");
  std::filesystem::create_symlink("file", root.file("link"));
  REQUIRE(::mkfifo(root.file("pipe").c_str(), 0600) == 0);
  char text[8];
  const Descriptor file = open_file_in(at.get(), "file");
  REQUIRE(file.valid());
  CHECK(read_descriptor(file.get(), text, 2) == 2);
  CHECK(read_descriptor(file.get(), text, sizeof text) == 3);
  CHECK(std::string(text, 3) == "llo");
  CHECK(read_descriptor(-1, text, sizeof text) == -EBADF);
  FileOwner owner;
  REQUIRE(read_owner(file.get(), owner) == 0);
  CHECK(owner.is_plain_file);
  CHECK(open_file_in(at.get(), "link").error() == ELOOP);
  const Descriptor pipe = open_file_in(at.get(), "pipe");
  REQUIRE(pipe.valid());
  REQUIRE(read_owner(pipe.get(), owner) == 0);
  CHECK_FALSE(owner.is_plain_file);
}

TEST_CASE("a process' directories") {
  const Descriptor root = open_process_directory(process_id(), ProcessDirectory::kRoot);
  REQUIRE(root.valid());
  CHECK(inode_of(root.get()) == inode_of(opened("/").get()));
  CHECK(open_process_directory(process_id(), ProcessDirectory::kWorking).valid());
  const Descriptor proc = opened("/proc");
  CHECK(inode_of(open_process_descriptor(process_id(), static_cast<unsigned>(proc.get())).get()) ==
        inode_of(proc.get()));
  CHECK(open_process_descriptor(process_id(), 4'000'000).error() == ENOENT);
  CHECK(open_process_directory(dead_pid_for_test(), ProcessDirectory::kRoot).error() == ESRCH);
}

TEST_CASE("random digits differ") {
  char first[17];
  char second[17];
  REQUIRE(random_digits(first, 16) == 0);
  REQUIRE(random_digits(second, 16) == 0);
  CHECK(std::string(first).size() == 16);
  CHECK(std::string(first) != second);
}

TEST_CASE("a stream to a socket in a directory whose path is longer than an address") {
  ScratchDirectory root;
  const std::string deep = root.file(std::string(120, 'd'));
  std::filesystem::create_directory(deep);
  const int listener = listen_at(root.file("s.sock"));
  std::filesystem::rename(root.file("s.sock"), deep + "/s.sock");
  const Descriptor at = opened(deep);
  const Descriptor stream = connect_local_stream(at.get(), "s.sock", ::geteuid());
  REQUIRE(stream.valid());
  Peer peer;
  REQUIRE(peer_of(stream.get(), peer));
  CHECK(peer.process == process_id());
  CHECK(peer.user == ::geteuid());
  const int accepted = ::accept(listener, nullptr, nullptr);
  CHECK(receive_some(stream.get(), &peer, sizeof peer) == -EAGAIN);
  CHECK(wait_for_stream(stream.get(), StreamWait::kReadable, 1) == EAGAIN);
  CHECK(::write(accepted, "hi", 2) == 2);
  char text[8];
  CHECK(wait_for_stream(stream.get(), StreamWait::kReadable, 1000) == 0);
  CHECK(receive_some(stream.get(), text, sizeof text) == 2);
  CHECK(send_some(stream.get(), "x", 1) == 1);
  ::close(accepted);
  CHECK(send_some(stream.get(), "x", 1) == -EPIPE);
  ::close(listener);
}

TEST_CASE("no stream: nobody listens, a link, a file, a full queue") {
  ScratchDirectory root;
  const Descriptor at = opened(root.path());
  int listener = listen_at(root.file("s.sock"));
  std::filesystem::create_symlink("s.sock", root.file("link"));
  root.write("file", "");
  CHECK(connect_local_stream(at.get(), "link", ::geteuid()).error() == ENOTSOCK);
  CHECK(connect_local_stream(at.get(), "file", ::geteuid()).error() == ENOTSOCK);
  CHECK(connect_local_stream(at.get(), "s.sock", ::geteuid() + 1).error() == EPERM);
  CHECK(connect_local_stream(at.get(), "none", ::geteuid()).error() == ENOENT);
  const Descriptor first = connect_local_stream(at.get(), "s.sock", ::geteuid());
  const Descriptor second = connect_local_stream(at.get(), "s.sock", ::geteuid());
  CHECK(connect_local_stream(at.get(), "s.sock", ::geteuid()).error() == EAGAIN);
  ::close(listener);
  CHECK(connect_local_stream(at.get(), "s.sock", ::geteuid()).error() == ECONNREFUSED);
}
