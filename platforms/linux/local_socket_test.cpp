#include "platforms/local_socket.h"

#include <doctest/doctest.h>
#include <errno.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "platforms/fault_points.h"
#include "platforms/file.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;
namespace fs = std::filesystem;

namespace {

fs::perms mode_of(const std::string& path) { return fs::symlink_status(path).permissions(); }
constexpr auto kPrivate = fs::perms::owner_all;
constexpr auto kPrivateFile = fs::perms::owner_read | fs::perms::owner_write;

struct Open {
  int descriptor;
  explicit Open(int d) : descriptor(d) {}
  ~Open() {
    if (descriptor >= 0) close_quietly(descriptor);
  }
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  explicit operator bool() const { return descriptor >= 0; }
};

bool opens(int descriptor) { return static_cast<bool>(Open(descriptor)); }

std::string socket_line(const std::string& part) {
  std::ifstream in("/proc/net/unix");
  for (std::string line; std::getline(in, line);)
    if (line.find(part) != std::string::npos) return line;
  return {};
}

}  // namespace

TEST_CASE("a private directory is made, used again, and refused when it is somebody's trap") {
  const ScratchDirectory scratch;
  const std::string path = scratch.file("with space");
  const Open made(open_private_directory(path.c_str()));
  REQUIRE(made.descriptor >= 0);
  CHECK(made.descriptor > 2);
  CHECK(closes_on_exec_for_test(made.descriptor));
  CHECK(mode_of(path) == kPrivate);
  CHECK(opens(open_private_directory(path.c_str())));
  fs::permissions(path, kPrivate | fs::perms::others_read);
  CHECK(open_private_directory(path.c_str()) == -EPERM);
  fs::permissions(path, kPrivate);
  fs::create_directory_symlink(path, scratch.file("link"));
  CHECK(open_private_directory(scratch.file("link").c_str()) == -EPERM);
  CHECK(opens(open_own_directory(scratch.file("link").c_str())));
  scratch.write("plain", "");
  CHECK(open_private_directory(scratch.file("plain").c_str()) == -EPERM);
  CHECK(open_private_directory(scratch.file("no/such").c_str()) == -ENOENT);
  fs::permissions(path, kPrivate | fs::perms::group_write);
  CHECK(open_own_directory(path.c_str()) == -EPERM);
  fs::permissions(path, kPrivate);
  if (give_away_for_test(path.c_str())) CHECK(open_private_directory(path.c_str()) == -EPERM);
}

TEST_CASE("the socket has mode 0600 whatever the file mask, and its whole path for others to see") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  for (const std::uint32_t mask : {0u, 022u, 077u}) {
    const std::uint32_t before = set_file_mask_for_test(mask);
    const Open listening(listen_in(directory.descriptor, "a socket", 4));
    CHECK(set_file_mask_for_test(before) == mask);
    REQUIRE(listening.descriptor >= 0);
    CHECK(listening.descriptor > 2);
    CHECK(closes_on_exec_for_test(listening.descriptor));
    CHECK(mode_of(scratch.file("a socket")) == kPrivateFile);
    CHECK(!socket_line(scratch.file("a socket")).empty());
    CHECK(listen_in(directory.descriptor, "a socket", 4) == -EADDRINUSE);
    CHECK_FALSE(is_abandoned_socket(directory.descriptor, "a socket"));
    fs::remove(scratch.file("a socket"));
  }
}

TEST_CASE("a path that is too long for an address works all the same") {
  const ScratchDirectory scratch;
  const std::string deep = scratch.file(std::string(120, 'd'));
  const Open directory(open_private_directory(deep.c_str()));
  REQUIRE(directory.descriptor >= 0);
  const Open listening(listen_in(directory.descriptor, "s.sock", 4));
  REQUIRE(listening.descriptor >= 0);
  const Open client(connect_to((deep + "/s.sock").c_str()));
  REQUIRE(client.descriptor >= 0);
  CHECK(opens(accept_connection(listening.descriptor)));
  CHECK(listen_in(directory.descriptor, std::string(120, 'n').c_str(), 4) == -ENAMETOOLONG);
  CHECK(connect_to((deep + "/none").c_str()) == -ENOENT);
}

TEST_CASE("abandoned is what nobody listens at; only the very file is removed") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  SocketFile first, second;
  {
    const Open listening(listen_in(directory.descriptor, "s", 4));
    REQUIRE(find_socket_file(directory.descriptor, "s", first));
    CHECK_FALSE(is_abandoned_socket(directory.descriptor, "s"));
  }
  CHECK(is_abandoned_socket(directory.descriptor, "s"));
  CHECK(remove_socket_file(directory.descriptor, "s", first));
  CHECK_FALSE(remove_socket_file(directory.descriptor, "s", first));
  scratch.write("file", "");
  CHECK_FALSE(is_abandoned_socket(directory.descriptor, "file"));
  CHECK_FALSE(find_socket_file(directory.descriptor, "file", second));
  fs::create_symlink(scratch.file("file"), scratch.file("link"));
  CHECK_FALSE(is_abandoned_socket(directory.descriptor, "link"));
  const Open again(listen_in(directory.descriptor, "t", 4));
  REQUIRE(find_socket_file(directory.descriptor, "t", second));
  const SocketFile other{second.device, second.inode + 1};
  CHECK_FALSE(remove_socket_file(directory.descriptor, "t", other));
  CHECK(scratch.has("t"));
}

TEST_CASE("a full backlog is no abandoned socket") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  const Open listening(listen_in(directory.descriptor, "s", 0));
  const Open one(connect_to(scratch.file("s").c_str()));
  CHECK_FALSE(is_abandoned_socket(directory.descriptor, "s"));
  CHECK_FALSE(is_abandoned_socket(directory.descriptor, "s"));
}

TEST_CASE("the lock of a directory is one process'; of one descriptor, to be exact") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  {
    const Open lock(lock_directory(directory.descriptor));
    REQUIRE(lock.descriptor >= 0);
    CHECK(lock_directory(directory.descriptor) == -EWOULDBLOCK);
  }
  CHECK(opens(lock_directory(directory.descriptor)));
}

TEST_CASE("bytes come and go; the end is told; writing to the dead raises no signal") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  const Open listening(listen_in(directory.descriptor, "s", 4));
  CHECK(accept_connection(listening.descriptor) == -EAGAIN);
  auto client = std::make_unique<Open>(connect_to(scratch.file("s").c_str()));
  const Open server(accept_connection(listening.descriptor));
  REQUIRE(server.descriptor >= 0);
  CHECK(closes_on_exec_for_test(server.descriptor));
  Peer peer;
  REQUIRE(peer_of(server.descriptor, peer));
  CHECK(peer.user == effective_user());
  char text[8] = "";
  CHECK(receive_some(server.descriptor, text, sizeof text) == -EAGAIN);
  CHECK(send_some(client->descriptor, "abc", 3) == 3);
  CHECK(receive_some(server.descriptor, text, sizeof text) == 3);
  CHECK(std::string(text) == "abc");
  stop_sending_for_test(client->descriptor);
  CHECK(receive_some(server.descriptor, text, sizeof text) == 0);
  CHECK(send_some(server.descriptor, "de", 2) == 2);
  CHECK(receive_some(client->descriptor, text, sizeof text) == 2);
  client.reset();
  const int result = run_in_child([&] {
    const std::int64_t sent = send_some(server.descriptor, "f", 1);  // SIGPIPE would end it
    return sent == -EPIPE && !signal_pending_for_test() ? 0 : 1;
  });
  CHECK(result == 0);
}

TEST_CASE("a ready set tells who is ready for what he is watched for, and who is gone") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  const Open listening(listen_in(directory.descriptor, "s", 4));
  const Open set(open_ready_set());
  Ready ready[4];
  REQUIRE(watch_ready(set.descriptor, listening.descriptor, 7, Interest::kRead) == 0);
  CHECK(take_ready(set.descriptor, ready, 4) == 0);
  auto client = std::make_unique<Open>(connect_to(scratch.file("s").c_str()));
  REQUIRE(take_ready(set.descriptor, ready, 4) == 1);
  CHECK(ready[0].number == 7);
  CHECK(ready[0].readable);
  CHECK(change_ready(set.descriptor, listening.descriptor, 7, Interest::kNothing) == 0);
  CHECK(take_ready(set.descriptor, ready, 4) == 0);
  const Open server(accept_connection(listening.descriptor));
  REQUIRE(watch_ready(set.descriptor, server.descriptor, 8, Interest::kWrite) == 0);
  REQUIRE(take_ready(set.descriptor, ready, 4) == 1);
  CHECK(ready[0].writable);
  CHECK_FALSE(ready[0].gone);
  stop_sending_for_test(client->descriptor);
  CHECK(change_ready(set.descriptor, server.descriptor, 8, Interest::kNothing) == 0);
  CHECK(take_ready(set.descriptor, ready, 4) == 0);  // half closed is not gone
  client.reset();
  REQUIRE(take_ready(set.descriptor, ready, 4) == 1);
  CHECK(ready[0].gone);
  forget_ready(set.descriptor, server.descriptor);
  CHECK(take_ready(set.descriptor, ready, 4) == 0);
  CHECK(watch_ready(set.descriptor, -1, 9, Interest::kRead) == EBADF);
}

TEST_CASE("without standard streams nothing of ours gets their numbers") {
  const ScratchDirectory scratch;
  const int result = run_in_child([&] {
    close_standard_streams_for_test();
    const Open directory(open_own_directory(scratch.path()));
    const Open lock(lock_directory(directory.descriptor));
    const Open listening(listen_in(directory.descriptor, "s", 4));
    const Open client(connect_to(scratch.file("s").c_str()));
    const Open server(accept_connection(listening.descriptor));
    const Open set(open_ready_set());
    for (const Open* one : {&directory, &lock, &listening, &server, &set})
      if (one->descriptor <= 2) return 1;
    return client ? 0 : 2;
  });
  CHECK(result == 0);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("what the system refuses is an answer, and leaves no descriptor and no file") {
  const ScratchDirectory scratch;
  const Open directory(open_own_directory(scratch.path()));
  const std::uint64_t before = open_descriptors_for_test();
  for (const FaultPoint point : {FaultPoint::kSocket, FaultPoint::kBind}) {
    const FaultScope fault(point, {.error = ENOMEM});
    CHECK(listen_in(directory.descriptor, "s", 4) == -ENOMEM);
  }
  const FaultScope fault(FaultPoint::kReadySet, {.error = EMFILE});
  CHECK(open_ready_set() == -EMFILE);
  const FaultScope second(FaultPoint::kAccept, {.error = ENFILE});
  CHECK(accept_connection(directory.descriptor) == -ENFILE);
  CHECK(open_descriptors_for_test() == before);
  CHECK(scratch.count() == 0);
}
#endif
