#include "cli/attach/agent_socket.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <future>
#include <thread>
#include <vector>

#include "cli/attach/attach.h"
#include "platforms/clock.h"
#include "platforms/held_signals.h"
#include "platforms/local_stream.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

using namespace holdfast;
using namespace holdfast::cli;

namespace {

using platforms::ScratchDirectory;

class Listener {
 public:
  explicit Listener(const std::string& path) : descriptor_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.copy(address.sun_path, sizeof address.sun_path - 1);
    REQUIRE(::bind(descriptor_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
    REQUIRE(::listen(descriptor_, 4) == 0);
  }
  ~Listener() { ::close(descriptor_); }

 private:
  int descriptor_;
};

// Nobody takes from its queue, which is full.
class StalledListener {
 public:
  explicit StalledListener(const std::string& path) : listener_(path) {
    const std::size_t slash = path.rfind('/');
    const platforms::Descriptor folder(
        ::open(path.substr(0, slash).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    int error = 0;
    while (error == 0) {
      waiting_.push_back(platforms::connect_local_stream(
          folder.get(), path.substr(slash + 1).c_str(), ::geteuid()));
      error = waiting_.back().error();
    }
    REQUIRE(error == EAGAIN);
  }

 private:
  Listener listener_;
  std::vector<platforms::Descriptor> waiting_;
};

std::uint64_t milliseconds_since(std::uint64_t start_ns) {
  return (platforms::monotonic_ns() - start_ns) / 1'000'000;
}

AgentSocket connect_to_own() { return connect_to_agent(platforms::process_id()); }

}  // namespace

TEST_CASE("no agent, an agent, and one that is gone again") {
  ScratchDirectory scratch;
  CHECK(connect_to_own().presence == AgentPresence::kNoAgent);
  {
    const Listener other(scratch.file("other-1.sock"));
    CHECK(connect_to_own().presence == AgentPresence::kNoAgent);
    const Listener agent(scratch.file("holdfast-1.sock"));
    const AgentSocket socket = connect_to_own();
    CHECK(socket.presence == AgentPresence::kConnected);
    CHECK(socket.refusal.good());
    CHECK(socket.stream.valid());
    CHECK(socket.inner_pid == platforms::process_id());
  }
  const AgentSocket after = connect_to_own();
  CHECK(after.presence == AgentPresence::kNoAgent);
  CHECK(after.refusal.code == ExitCode::kRefused);
}

TEST_CASE("a path longer than an address, by the directory that the process holds open") {
  ScratchDirectory scratch;
  const std::string deep = scratch.file(std::string(120, 'd'));
  std::filesystem::create_directory(deep);
  const int directory = ::open(deep.c_str(), O_RDONLY | O_DIRECTORY);
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/fd/%d/holdfast-1.sock", directory);
  const Listener agent(path);
  CHECK(connect_to_own().presence == AgentPresence::kConnected);
  ::close(directory);
}

TEST_CASE("a name that leads nowhere, or to somebody else") {
  ScratchDirectory scratch;
  const std::string path = scratch.file("holdfast-1.sock");
  const Listener agent(path);
  std::filesystem::remove(path);
  const AgentSocket none = connect_to_own();
  CHECK(none.presence == AgentPresence::kUnreachable);
  CHECK(none.refusal.text.find("cannot be reached") != std::string::npos);
  std::filesystem::create_symlink("/run/docker.sock", path);
  CHECK(connect_to_own().presence == AgentPresence::kUnreachable);
  std::filesystem::remove(path);
  const std::string elsewhere = path;
  platforms::ChildForTest other(
      [](void* raw) -> int {
        const Listener theirs(*static_cast<std::string*>(raw));
        ::sleep(60);
        return 0;
      },
      const_cast<std::string*>(&elsewhere));
  AgentSocket socket;
  for (int i = 0; i < 2000; ++i, ::usleep(1000)) {
    socket = connect_to_own();
    if (socket.refusal.text.find("another process") != std::string::npos) break;
  }
  CHECK(socket.presence == AgentPresence::kUnreachable);
  CHECK(socket.refusal.text.find("answered by another process") != std::string::npos);
}

TEST_CASE("sockets that do not answer are waited for all together, and not when somebody hurries") {
  ScratchDirectory scratch;
  const StalledListener first(scratch.file("holdfast-1.sock"));
  const StalledListener second(scratch.file("holdfast-2.sock"));
  const StalledListener third(scratch.file("holdfast-3.sock"));
  const std::uint64_t start_ns = platforms::monotonic_ns();
  const AgentSocket socket = connect_to_own();
  CHECK(socket.presence == AgentPresence::kUnreachable);
  CHECK(milliseconds_since(start_ns) >= 1900);
  CHECK(milliseconds_since(start_ns) < 3900);
  const platforms::OtherProcess own = [] {
    platforms::OtherProcess process;
    platforms::read_other_process(platforms::process_id(), process);
    return process;
  }();
  const std::uint64_t hurry_ns = platforms::monotonic_ns();
  const int status = platforms::run_in_child([&] {
    const platforms::HeldSignals held;
    ::raise(SIGTERM);
    const bool right = connect_to_agent_of(own).refusal.text == "interrupted";
    ::_exit(right ? 0 : 1);
    return 1;
  });
  CHECK(status == 0);
  CHECK(milliseconds_since(hurry_ns) < 1500);
}

TEST_CASE("lines that somebody forged in the list of sockets are not all looked at") {
  const int agent = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  struct stat info {};
  REQUIRE(::fstat(agent, &info) == 0);
  const std::string line = "\n0: 2 0 10000 1 1 " + std::to_string(info.st_ino) + " /x/holdfast-";
  std::vector<platforms::Descriptor> forged;
  for (int i = 1; i <= 200; ++i) {  // a name of no file, which may have any bytes
    forged.emplace_back(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const std::string name = '\0' + line + std::to_string(i) + ".sock";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    name.copy(address.sun_path, sizeof address.sun_path);
    const auto bytes = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(::bind(forged.back().get(), reinterpret_cast<sockaddr*>(&address), bytes) == 0);
  }
  std::vector<std::string> paths;
  CHECK(find_agent_sockets(platforms::process_id(), paths) == 0);
  CHECK(paths.size() == 64);
  CHECK(connect_to_own().presence == AgentPresence::kUnreachable);
  ::close(agent);
}

TEST_CASE("a socket that is another user's is not waited for") {
  ScratchDirectory scratch;
  const std::string path = scratch.file("holdfast-1.sock");
  const StalledListener theirs(path);
  if (!platforms::give_away_for_test(path.c_str())) return;
  const std::uint64_t start_ns = platforms::monotonic_ns();
  const AgentSocket socket = connect_to_own();
  CHECK(socket.presence == AgentPresence::kUnreachable);
  CHECK(socket.refusal.text.find("another process or user") != std::string::npos);
  CHECK(milliseconds_since(start_ns) < 1500);
  const Listener agent(scratch.file("holdfast-2.sock"));
  CHECK(connect_to_own().presence == AgentPresence::kConnected);
}

TEST_CASE("in a process namespace whose /proc is another's nothing is done to any number") {
  constexpr int kMayNot = 77;
  const int status = platforms::run_in_child([] {
    if (!platforms::enter_other_numbers_for_test()) return kMayNot;
    return platforms::run_in_child([] {
      const std::uint32_t first = 1;  // itself, and in /proc the machine's
      const AttachOutcome answers[] = {look_at_process(first).refusal,
                                       connect_to_agent(first).refusal, load_agent(first, {}),
                                       ensure_agent(first, {}).refusal};
      for (const AttachOutcome& answer : answers)
        if (answer.code != ExitCode::kRefused || !answer.text.starts_with("/proc")) return 1;
      return 0;
    });
  });
  if (status == kMayNot)
    MESSAGE("no process namespace may be made here");
  else
    CHECK(status == 0);
}

TEST_CASE("a thread's number is not a process'") {
  std::promise<std::uint32_t> number;
  std::promise<void> over;
  std::thread thread([&] {
    number.set_value(static_cast<std::uint32_t>(::gettid()));
    over.get_future().wait();
  });
  const std::uint32_t id = number.get_future().get();
  const AttachOutcome looked = look_at_process(id).refusal;
  CHECK(looked.code == ExitCode::kWrongUsage);
  CHECK(looked.text ==
        std::to_string(id) + " is a thread of process " + std::to_string(platforms::process_id()));
  CHECK(connect_to_agent(id).refusal.text == looked.text);
  CHECK(ensure_agent(id, {}).refusal.text == looked.text);
  over.set_value();
  thread.join();
}

TEST_CASE("nobody there, and nobody to attach to") {
  const std::uint32_t dead = platforms::dead_pid_for_test();
  const AgentSocket gone = connect_to_agent(dead);
  CHECK(gone.presence == AgentPresence::kGone);
  CHECK(gone.refusal.code == ExitCode::kWrongUsage);
  CHECK(ensure_agent(dead, {}).refusal.code == ExitCode::kWrongUsage);
  CHECK(load_agent(dead, {}).code == ExitCode::kWrongUsage);
  const AgentSocket self = ensure_agent(platforms::process_id(), {});
  CHECK(self.presence == AgentPresence::kNoAgent);
  CHECK(self.refusal.text.find("no Java or .NET VM") != std::string::npos);
}
