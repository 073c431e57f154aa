// The end of the runtime, or of the agent in it, while a dump is under way.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "clrprofiler/callback.h"
#include "clrprofiler/dump_fixture.h"
#include "platforms/comes_true_for_test.h"

using namespace holdfast;
using namespace holdfast::clr;
using platforms::comes_true;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

bool has_thread(const std::string& name) {
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream file(task.path() / "comm");
    std::string found;
    if (std::getline(file, found) && found == name) return true;
  }
  return false;
}

// A dump begins with the agent, and stays inside the collection until it is let go.
struct Process {
  platforms::ScratchDirectory scratch;
  FakeClr runtime;
  ShopHeap shop{runtime};
  std::atomic<bool> collecting{false};
  std::atomic<bool> go{false};

  Process() {
    runtime.pipe.during_collection = [this] {
      collecting = true;
      while (!go) platforms::sleep_ns(kMs);
      runtime.pipe.deliver(fake_forced_walk(runtime.heap.told()));
    };
  }
  // Nobody of the agent's may still be inside the runtime when it goes.
  ~Process() {
    go = true;
    for (const char* name : {"hf-leave", "hf-capture", "hf-collect"})
      CHECK(comes_true([&] { return !has_thread(name); }));
  }
  std::string options(const std::string& more) const {
    return std::string("on=start,dump=extended,capture=walk,control=off,log=off,memory=64m,dir=") +
           scratch.path() + "," + more;
  }
  std::size_t reports() const {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
      count += entry.path().extension() == ".hfr" ? 1 : 0;
    return count;
  }
};

}  // namespace

TEST_CASE("the runtime ends in the middle of a dump: it waits for the report") {
  Process process;
  REQUIRE(process.runtime.attach(process.options("exit-wait=20s")) == S_OK);
  REQUIRE(comes_true([&] { return process.collecting.load(); }));
  std::thread end([&] { process.runtime.shut_down(); });
  process.go = true;
  end.join();
  CHECK(process.reports() == 1);
}

// In a process of its own, which ends with our threads inside the runtime.
constexpr char kStuckEnd[] = "(alone) the runtime ends while a collection does not come";
TEST_CASE(kStuckEnd* doctest::skip()) {
  static Process& process = *new Process;  // outlives main
  REQUIRE(process.runtime.attach(process.options("exit-wait=0s")) == S_OK);
  REQUIRE(comes_true([&] { return process.collecting.load(); }));
  process.runtime.shut_down();
  CHECK(process.reports() == 0);
  CHECK(has_thread("hf-collect"));
}

TEST_CASE("the runtime ends, and the collection does not come: the process ends all the same") {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      "'" + self + "' --no-skip --minimal --test-case='" + kStuckEnd + "' >/dev/null";
  CHECK(std::system(command.c_str()) == 0);
}

TEST_CASE("detached in the middle of a dump, the agent leaves when the collection is over") {
  Process process;
  REQUIRE(process.runtime.attach(process.options("exit-wait=20s")) == S_OK);
  REQUIRE(comes_true([&] { return process.collecting.load(); }));
  REQUIRE(begin_leaving());
  // The place is not free as long as somebody is inside.
  set_leaving_wait_for_test(20 * kMs);
  CHECK(process.runtime.attach(process.options("exit-wait=20s")) ==
        CORPROF_E_PROFILER_CANCEL_ACTIVATION);
  set_leaving_wait_for_test(0);
  CHECK_FALSE(process.runtime.detach_requested);
  process.go = true;
  REQUIRE(comes_true([&] { return process.runtime.detach_requested.load(); }));
  CHECK(process.runtime.pipe.open_sessions == 0);
  process.runtime.let_go();
  process.collecting = false;
  REQUIRE(process.runtime.attach(process.options("exit-wait=20s")) == S_OK);
  process.runtime.shut_down();
  CHECK(process.reports() >= 1);
}
