#include "platforms/other_process.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <string>

#include "platforms/clock.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast::platforms;

namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

int sleep_long(void*) {
  sleep_ns(60'000 * kMillisecond);
  return 0;
}

template <class Done>
bool becomes(Done done) {
  for (int i = 0; i < 2000; ++i, sleep_ns(kMillisecond))
    if (done()) return true;
  return false;
}

bool maps_file(std::uint32_t pid, const std::string& wanted) {
  struct Search {
    const std::string& wanted;
    bool met = false;
  } search{wanted};
  const int error = visit_mapped_files(
      pid,
      [](void* context, const MappedName& file) {
        auto& to = *static_cast<Search*>(context);
        to.met = to.met || file.path.ends_with(to.wanted);
        return !to.met;
      },
      &search);
  return error == 0 && search.met;
}

}  // namespace

TEST_CASE("this process, as another would see it") {
  OtherProcess own;
  REQUIRE(read_other_process(process_id(), own) == 0);
  CHECK(own.pid == process_id());
  CHECK(own.effective_user == ::geteuid());
  CHECK(own.effective_group == ::getegid());
  CHECK(own.started_ticks > 0);
  CHECK(std::string(own.name).starts_with("platforms_"));
  CHECK(same_process(own));
  CHECK(process_age_ms(own) < 600'000);
  bool other = true;
  CHECK(has_other_root(process_id(), other) == 0);
  CHECK_FALSE(other);
  own.started_ticks += 1;
  CHECK_FALSE(same_process(own));
  CHECK(maps_file(process_id(), "platforms_linux_test"));
  CHECK_FALSE(maps_file(process_id(), "libjvm.so"));
}

TEST_CASE("a handler for SIGQUIT is seen, stopped is stopped, and dead is gone") {
  ChildForTest child(&sleep_long, nullptr);
  OtherProcess process;
  REQUIRE(read_other_process(child.pid(), process) == 0);
  CHECK_FALSE(process.catches_quit);
  ::kill(static_cast<pid_t>(child.pid()), SIGSTOP);
  CHECK(becomes([&] {
    return read_other_process(child.pid(), process) == 0 && process.state == ProcessState::kStopped;
  }));
  ::kill(static_cast<pid_t>(child.pid()), SIGCONT);
  ::kill(static_cast<pid_t>(child.pid()), SIGKILL);
  CHECK(becomes([&] {
    return read_other_process(child.pid(), process) == 0 && process.state == ProcessState::kDead;
  }));
  CHECK_FALSE(same_process(process));
  bool other = false;
  CHECK(has_other_root(child.pid(), other) != 0);
  struct sigaction before {};
  struct sigaction handler {};
  handler.sa_handler = [](int) {};
  ::sigaction(SIGQUIT, &handler, &before);
  REQUIRE(read_other_process(process_id(), process) == 0);
  CHECK(process.catches_quit);
  ::sigaction(SIGQUIT, &before, nullptr);
}

TEST_CASE("SIGQUIT reaches the process behind the descriptor, and a dead one is ESRCH") {
  ChildForTest child(&sleep_long, nullptr);
  const int handle = open_process(child.pid());
  CHECK(send_quit(handle, child.pid()) == 0);
  CHECK(child.wait() == 200 + SIGQUIT);
  CHECK(send_quit(handle, child.pid()) == ESRCH);
  if (handle >= 0) ::close(handle);
  CHECK(send_quit(-ENOSYS, dead_pid_for_test()) == ESRCH);
}

TEST_CASE("no signal goes to a number whose process could not be opened") {
  ChildForTest child(&sleep_long, nullptr);
  CHECK(send_quit(-EMFILE, child.pid()) == EMFILE);
  CHECK(send_quit(-ESRCH, child.pid()) == ESRCH);
  sleep_ns(20 * kMillisecond);
  OtherProcess process;
  REQUIRE(read_other_process(child.pid(), process) == 0);
  CHECK(process.state == ProcessState::kLiving);
}

TEST_CASE("numbers of another process namespace are told from ours") {
  constexpr int kMayNot = 77;
  CHECK(proc_has_our_numbers());
  const int status = run_in_child([] {
    if (!enter_other_numbers_for_test()) return kMayNot;
    return run_in_child([] { return proc_has_our_numbers() ? 1 : 0; });
  });
  if (status == kMayNot)
    MESSAGE("no process namespace may be made here");
  else
    CHECK(status == 0);
}

TEST_CASE("nothing is known of a number that is nobody's") {
  const std::uint32_t dead = dead_pid_for_test();
  OtherProcess process;
  bool other = false;
  char text[64];
  CHECK(read_other_process(dead, process) == ESRCH);
  CHECK(has_other_root(dead, other) == ESRCH);
  CHECK(read_process_link(dead, "cwd", text, sizeof text) == ESRCH);
  CHECK(read_process_text(dead, ProcessText::kCommandLine, text, sizeof text) == -ESRCH);
  CHECK(visit_mapped_files(
            dead, [](void*, const MappedName&) { return true; }, nullptr) == ESRCH);
  CHECK(visit_sockets(
            dead, [](void*, std::uint64_t) { return true; }, nullptr) == ESRCH);
  CHECK(visit_local_sockets(
            dead, [](void*, const LocalSocketName&) { return true; }, nullptr) == ESRCH);
}

TEST_CASE("its words, its links, and texts that do not fit") {
  char text[4096];
  const std::int64_t bytes =
      read_process_text(process_id(), ProcessText::kCommandLine, text, sizeof text);
  REQUIRE(bytes > 0);
  CHECK(std::string(text).find("platforms_linux_test") != std::string::npos);
  CHECK(read_process_text(process_id(), ProcessText::kEnvironment, text, 3) == 3);
  REQUIRE(read_process_link(process_id(), "root", text, sizeof text) == 0);
  CHECK(std::string(text) == "/");
  CHECK(read_process_link(process_id(), "exe", text, 4) == ENAMETOOLONG);
}

TEST_CASE("a listening socket is among its files, under its name") {
  ScratchDirectory scratch;
  const std::string path = scratch.file("a name.sock");
  const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  REQUIRE(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(::listen(listener, 1) == 0);
  struct Search {
    const std::string& path;
    std::uint64_t inode = 0;
    bool held = false;
  } search{path};
  REQUIRE(visit_local_sockets(
              process_id(),
              [](void* context, const LocalSocketName& socket) {
                auto& to = *static_cast<Search*>(context);
                if (socket.path == to.path && socket.listens) to.inode = socket.inode;
                return to.inode == 0;
              },
              &search) == 0);
  REQUIRE(search.inode != 0);
  REQUIRE(visit_sockets(
              process_id(),
              [](void* context, std::uint64_t inode) {
                auto& to = *static_cast<Search*>(context);
                to.held = inode == to.inode;
                return !to.held;
              },
              &search) == 0);
  CHECK(search.held);
  ::close(listener);
}

TEST_CASE("all processes, and who users are") {
  bool met = false;
  CHECK(visit_processes(
            [](void* context, std::uint32_t pid) {
              *static_cast<bool*>(context) = pid == process_id();
              return pid != process_id();
            },
            &met) == 0);
  CHECK(met);
  char name[64];
  user_name(0, name, sizeof name);
  CHECK(std::string(name) == "root");
  user_name(3'999'999'999u, name, sizeof name);
  CHECK(std::string(name) == "3999999999");
}
