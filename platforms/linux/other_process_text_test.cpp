#include "platforms/linux/other_process_text.h"

#include <doctest/doctest.h>

#include <string>

using namespace holdfast::platforms;

namespace {

OtherProcess status(const std::string& text) {
  OtherProcess process;
  process.inner_pid = 4242;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    take_status_line(std::string_view(text).substr(at, end - at), process);
    at = end + 1;
  }
  return process;
}

const std::string kJavaStatus =
    "Name:\tjava\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t4242\nPid:\t4242\n"
    "Uid:\t1000\t1001\t1002\t1003\nGid:\t100\t101\t102\t103\nNStgid:\t4242\t17\t1\n"
    "NSpid:\t4242\t17\t1\nSigBlk:\t0000000000000000\nSigCgt:\t2000000181005ccf\n";

}  // namespace

TEST_CASE("status: the effective user and group, the innermost number, a handler for SIGQUIT") {
  const OtherProcess process = status(kJavaStatus);
  CHECK(std::string(process.name) == "java");
  CHECK(process.effective_user == 1001);
  CHECK(process.effective_group == 101);
  CHECK(process.group_pid == 4242);
  CHECK(process.inner_pid == 1);
  CHECK(process.state == ProcessState::kLiving);
  CHECK(process.catches_quit);
}

TEST_CASE("status: SIGQUIT is signal 3, and nothing else") {
  CHECK(status("SigCgt:\t0000000000000004\n").catches_quit);
  CHECK_FALSE(status("SigCgt:\tfffffffffffffffb\n").catches_quit);
  CHECK_FALSE(status("SigIgn:\tffffffffffffffff\n").catches_quit);
  CHECK_FALSE(status("SigCgt:\tgarbage\n").catches_quit);
  CHECK_FALSE(status("SigCgt:\n").catches_quit);
}

TEST_CASE("status: states, and kernels that know no inner numbers") {
  CHECK(status("State:\tT (stopped)\n").state == ProcessState::kStopped);
  CHECK(status("State:\tt (tracing stop)\n").state == ProcessState::kStopped);
  CHECK(status("State:\tZ (zombie)\n").state == ProcessState::kDead);
  CHECK(status("State:\tX (dead)\n").state == ProcessState::kDead);
  CHECK(status("State:\tD (disk sleep)\n").state == ProcessState::kLiving);
  CHECK(status("Pid:\t1\n").inner_pid == 4242);
}

TEST_CASE("status: a name that looks like another line is a name") {
  const OtherProcess process = status("Name:\tUid:\\t0\\t0\nUid:\t7\t7\t7\t7\n");
  CHECK(process.effective_user == 7);
  CHECK(std::string(status("Name:\t" + std::string(100, 'x') + "\n").name).size() == 15);
}

TEST_CASE("stat: the start is counted from behind the last bracket of the name") {
  const std::string rest = " S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21\n";
  std::uint64_t ticks = 0;
  CHECK(parse_start("4242 (java)" + rest, ticks));
  CHECK(ticks == 987654);
  CHECK(parse_start("4242 (a) S 1 (b)" + rest, ticks));
  CHECK(ticks == 987654);
  CHECK_FALSE(parse_start("4242 java" + rest, ticks));
  CHECK_FALSE(parse_start("4242 (java) S 1 2 3", ticks));
  CHECK_FALSE(parse_start("", ticks));
}

TEST_CASE("maps: paths with spaces, deleted files, and what is no file") {
  MappedName file;
  REQUIRE(
      parse_mapped_file("7f00-7f01 r-xp 00000000 08:02 173521      /opt/my jdk/libjvm.so", file));
  CHECK(file.path == "/opt/my jdk/libjvm.so");
  CHECK_FALSE(file.deleted);
  REQUIRE(parse_mapped_file("7f00-7f01 r-xp 0 08:02 1 /tmp/libholdfast.so (deleted)", file));
  CHECK(file.path == "/tmp/libholdfast.so");
  CHECK(file.deleted);
  for (const char* none : {"7f00-7f01 rw-p 00000000 00:00 0 ", "7f00-7f01 rw-p 00000000 00:00 0",
                           "7f00-7f01 rw-p 00000000 00:00 0     [heap]",
                           "7f00-7f01 r-xs 0 00:01 5 anon_inode:[perf_event]", "7f00", ""})
    CHECK_FALSE(parse_mapped_file(none, file));
}

TEST_CASE("sockets: inodes of links, names of local sockets") {
  std::uint64_t inode = 0;
  CHECK(parse_socket_link("socket:[31337]", inode));
  CHECK(inode == 31337);
  for (const char* none : {"pipe:[1]", "socket:[]", "socket:[1", "socket:[1x]", "/socket:[1]", ""})
    CHECK_FALSE(parse_socket_link(none, inode));
  LocalSocketName socket;
  REQUIRE(parse_local_socket(
      "ffff888100e0b000: 00000002 00000000 00010000 0001 01 26415 /tmp/my dir/holdfast-1.sock",
      socket));
  CHECK(socket.inode == 26415);
  CHECK(socket.listens);
  CHECK(socket.path == "/tmp/my dir/holdfast-1.sock");
  REQUIRE(parse_local_socket("0000000000000000: 00000003 00000000 00000000 0001 03 99", socket));
  CHECK_FALSE(socket.listens);
  CHECK(socket.path.empty());
  CHECK_FALSE(
      parse_local_socket("Num       RefCount Protocol Flags    Type St Inode Path", socket));
  CHECK_FALSE(parse_local_socket("", socket));
}

TEST_CASE("users: the one with the number, never one that only begins like it") {
  std::string_view name;
  CHECK(parse_user("alice:x:1000:1000:Alice:/home/alice:/bin/sh", 1000, name));
  CHECK(name == "alice");
  CHECK_FALSE(parse_user("alice:x:10001:1000:::", 1000, name));
  for (const char* none : {"", "alice", "alice:x", ":x:1000:", "alice:x:abc:", "#comment"})
    CHECK_FALSE(parse_user(none, 1000, name));
}
