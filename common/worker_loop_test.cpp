#include "common/worker_loop.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast;

namespace {

constexpr std::uint64_t kMs = 1'000'000;

struct Running {
  Running() {
    REQUIRE(loop.reserve(ledger).ok());
    REQUIRE(loop.start().ok());
  }
  Ledger ledger{std::uint64_t{64} << 20};
  WorkerLoop loop;
};

void add_one(void* counter) noexcept { static_cast<std::atomic<int>*>(counter)->fetch_add(1); }

bool reaches(const std::atomic<int>& counter, int wanted, std::uint64_t within_ms = 10'000) {
  const std::uint64_t deadline = platforms::monotonic_ns() + within_ms * kMs;
  while (counter.load() < wanted && platforms::monotonic_ns() < deadline) ::usleep(500);
  return counter.load() >= wanted;
}

// Bytes of the arena that are readable and writable, as the kernel sees it.
std::size_t committed_bytes() {
  const auto start = reinterpret_cast<std::uintptr_t>(WorkerLoop::arena_start_for_test());
  std::ifstream maps("/proc/self/maps");
  std::size_t bytes = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t from = 0, to = 0;
    char access[8] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %7s", &from, &to, access) != 3) continue;
    if (from >= start && to <= start + WorkerLoop::kArenaBytes && access[1] == 'w')
      bytes += to - from;
  }
  return bytes;
}

template <class Body>
int in_child(Body&& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 200 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("tasks run on the loop's own thread, with every signal blocked") {
  Running running;
  struct Seen {
    std::atomic<int> done{0};
    char name[16] = "";
    int unblocked = 0;
  } seen;
  const auto look = [](void* out) noexcept {
    auto& all = *static_cast<Seen*>(out);
    ::pthread_getname_np(::pthread_self(), all.name, sizeof all.name);
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal < 32; ++signal)
      all.unblocked +=
          signal == SIGKILL || signal == SIGSTOP || ::sigismember(&mask, signal) == 1 ? 0 : 1;
    all.done = 1;
  };
  CHECK(running.loop.post(look, &seen));
  REQUIRE(reaches(seen.done, 1));
  CHECK(std::string(seen.name) == "hf-loop");
  CHECK(seen.unblocked == 0);
}

TEST_CASE("tasks run in order; one that waits already is not added; a full queue says so") {
  Running running;
  struct State {
    std::atomic<int> entered{0};
    std::atomic<bool> go{false};
    std::vector<int> order;
  } state;
  const auto block = [](void* raw) noexcept {
    auto& s = *static_cast<State*>(raw);
    s.entered = 1;
    while (!s.go.load()) ::usleep(200);
  };
  struct Item {
    State* state;
    int number;
  };
  std::vector<Item> items;
  for (int i = 0; i < static_cast<int>(WorkerLoop::kMaxTasks) + 1; ++i)
    items.push_back({&state, i});
  const auto note = [](void* raw) noexcept {
    auto& item = *static_cast<Item*>(raw);
    item.state->order.push_back(item.number);
  };
  REQUIRE(running.loop.post(block, &state));
  REQUIRE(reaches(state.entered, 1));
  for (std::size_t i = 0; i < WorkerLoop::kMaxTasks; ++i) CHECK(running.loop.post(note, &items[i]));
  CHECK(running.loop.post(note, &items[3]));  // waits already
  CHECK_FALSE(running.loop.post(note, &items[WorkerLoop::kMaxTasks]));
  state.go = true;
  running.loop.stop();  // what waits still runs
  REQUIRE(state.order.size() == WorkerLoop::kMaxTasks);
  for (int i = 0; i < static_cast<int>(state.order.size()); ++i)
    CHECK(state.order[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("threads that post at once lose nothing that was accepted") {
  struct Shared {
    Running running;
    std::atomic<int> counters[4][64];
    std::atomic<int> next{0};
  };
  Shared shared;
  const auto work = [](void* raw) {
    auto& all = *static_cast<Shared*>(raw);
    auto& mine = all.counters[all.next.fetch_add(1)];
    for (auto& counter : mine)
      while (!all.running.loop.post(&add_one, &counter)) ::usleep(100);
  };
  platforms::Thread threads[4];
  for (auto& thread : threads) REQUIRE(thread.start("hf-post", 1 << 18, work, &shared) == 0);
  for (auto& thread : threads) thread.join();
  shared.running.loop.stop();
  for (const auto& mine : shared.counters)
    for (const auto& counter : mine) CHECK(counter.load() == 1);
}

TEST_CASE("a loop that is down, or was never up, takes nothing, and stops twice") {
  std::atomic<int> counter{0};
  WorkerLoop never;
  CHECK(never.start().error().code == ErrorCode::kRefused);  // nothing reserved
  CHECK_FALSE(never.post(&add_one, &counter));
  CHECK_FALSE(never.set_timer(&add_one, &counter, 0));
  never.clear_timer(&add_one, &counter);
  never.stop();
  Running running;
  CHECK(running.loop.start().error().code == ErrorCode::kRefused);  // it runs
  running.loop.stop();
  running.loop.stop();
  CHECK_FALSE(running.loop.post(&add_one, &counter));
  CHECK_FALSE(running.loop.set_timer(&add_one, &counter, 0));
  REQUIRE(running.loop.start().ok());
  CHECK(running.loop.post(&add_one, &counter));
  CHECK(reaches(counter, 1));
}

TEST_CASE(
    "timers: once, not before their time; again and again; replaced; cleared; as many as there is "
    "room for") {
  Running running;
  std::atomic<int> once{0}, often{0}, never{0}, replaced{0};
  const std::uint64_t start = platforms::monotonic_ns();
  CHECK(running.loop.set_timer(&add_one, &never, 40 * kMs));
  CHECK(running.loop.set_timer(&add_one, &replaced, 3'600'000 * kMs));
  CHECK(running.loop.set_timer(&add_one, &replaced, 1 * kMs));
  CHECK(running.loop.set_timer(&add_one, &often, 5 * kMs, 5 * kMs));
  CHECK(running.loop.set_timer(&add_one, &once, 30 * kMs));
  running.loop.clear_timer(&add_one, &never);
  REQUIRE(reaches(once, 1));
  CHECK(platforms::monotonic_ns() - start >= 30 * kMs);
  REQUIRE(reaches(often, 10));
  CHECK(replaced == 1);
  ::usleep(30'000);
  CHECK(once == 1);
  CHECK(never == 0);
  running.loop.clear_timer(&add_one, &often);
  ::usleep(20'000);
  const int then = often;
  ::usleep(30'000);
  CHECK(often == then);
  std::atomic<int> idle[WorkerLoop::kMaxTimers + 1] = {};
  for (std::size_t i = 0; i < WorkerLoop::kMaxTimers; ++i)
    CHECK(running.loop.set_timer(&add_one, &idle[i], UINT64_MAX, UINT64_MAX));
  CHECK_FALSE(running.loop.set_timer(&add_one, &idle[WorkerLoop::kMaxTimers], kMs));
  running.loop.clear_timer(&add_one, &idle[0]);
  CHECK(running.loop.set_timer(&add_one, &idle[WorkerLoop::kMaxTimers], kMs));
  CHECK(reaches(idle[WorkerLoop::kMaxTimers], 1));
}

TEST_CASE("a periodic timer that was held up runs once for all it missed") {
  Running running;
  std::atomic<int> ticks{0};
  REQUIRE(running.loop.set_timer(&add_one, &ticks, 10 * kMs, 10 * kMs));
  REQUIRE(reaches(ticks, 1));
  const auto hold = [](void*) noexcept { ::usleep(100'000); };
  std::atomic<int> after{0};
  REQUIRE(running.loop.post(hold, nullptr));
  REQUIRE(running.loop.post(&add_one, &after));
  const int before = ticks;
  REQUIRE(reaches(after, 1));
  running.loop.stop();
  CHECK(ticks - before <= 4);
}

TEST_CASE("a task that posts itself does not keep timers or the end waiting") {
  struct Busy {
    Running running;
    std::atomic<int> rounds{0};
    static void again(void* raw) noexcept {
      auto& self = *static_cast<Busy*>(raw);
      self.rounds.fetch_add(1);
      self.running.loop.post(&again, &self);
    }
  } busy;
  std::atomic<int> tick{0};
  REQUIRE(busy.running.loop.post(&Busy::again, &busy));
  REQUIRE(busy.running.loop.set_timer(&add_one, &tick, 5 * kMs));
  CHECK(reaches(tick, 1));
  busy.running.loop.stop();
  CHECK(busy.rounds > 0);
}

TEST_CASE(
    "its memory: committed within what is charged, through fifty starts, nothing left at the end") {
  Running running;
  std::size_t first = 0;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> counter{0};
    REQUIRE(running.loop.post(&add_one, &counter));
    REQUIRE(reaches(counter, 1));
    const std::size_t committed = committed_bytes();
    CHECK(committed > 0);
    CHECK(committed <= running.ledger.category_bytes(MemoryCategory::kWorker));
    if (round == 0) first = committed;
    CHECK(committed <= first);
    running.loop.stop();
    if (round < 49) REQUIRE(running.loop.start().ok());
  }
  CHECK(running.ledger.category_bytes(MemoryCategory::kWorker) == WorkerLoop::kBaseBytes);
}

TEST_CASE("a process with many descriptors: libuv's table is charged before it grows") {
  struct rlimit limit {};
  REQUIRE(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
  const int result = in_child([&] {
    const rlimit most{limit.rlim_max, limit.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &most);
    const int wanted = static_cast<int>(std::min<rlim_t>(limit.rlim_max, 1'000'000)) - 64;
    for (int fd = ::open("/dev/null", O_RDONLY); fd >= 0 && fd < wanted;) fd = ::dup(fd);
    Ledger ledger(std::uint64_t{64} << 20);
    WorkerLoop loop;
    if (!loop.reserve(ledger) || !loop.start()) return 1;
    std::atomic<int> counter{0};
    if (!loop.post(&add_one, &counter) || !reaches(counter, 1)) return 2;
    const std::size_t charged = ledger.category_bytes(MemoryCategory::kWorker);
    if (committed_bytes() > charged) return 3;
    if (wanted > 17'000 && charged <= WorkerLoop::kBaseBytes) return 4;
    loop.stop();
    Ledger narrow(WorkerLoop::kBaseBytes + 1);
    WorkerLoop poor;
    if (!poor.reserve(narrow)) return 5;
    return wanted > 17'000 && poor.start().ok() ? 6 : 0;
  });
  CHECK(result == 0);
}

TEST_CASE(
    "without descriptors the loop does not start, and the process goes on (libuv alone would "
    "abort)") {
  const int result = in_child([] {
    const rlimit few{8, 8};
    ::setrlimit(RLIMIT_NOFILE, &few);
    Ledger ledger(std::uint64_t{64} << 20);
    WorkerLoop loop;
    if (!loop.reserve(ledger)) return 1;
    const auto refused = loop.start();
    return !refused && refused.error().code == ErrorCode::kOutOfMemory &&
                   refused.error().detail == EMFILE
               ? 0
               : 2;
  });
  CHECK(result == 0);
}

TEST_CASE("what the ledger or the system refuses is an answer, and the next start works") {
  Ledger poor(WorkerLoop::kBaseBytes - 1);
  WorkerLoop loop;
  CHECK(loop.reserve(poor).error().code == ErrorCode::kOutOfBudget);
  CHECK(poor.total_bytes() == 0);
#if defined(HF_FAULT_POINTS)
  Ledger ledger(std::uint64_t{64} << 20);
  REQUIRE(loop.reserve(ledger).ok());
  {
    const platforms::FaultScope fault(platforms::FaultPoint::kThread, {.error = EAGAIN});
    const auto refused = loop.start();
    REQUIRE_FALSE(refused);
    CHECK(refused.error().detail == EAGAIN);
  }
  CHECK(loop.start().ok());
#endif
}

TEST_CASE("no signal handler is installed, and no child of the application's is reaped") {
  std::vector<struct sigaction> before(65), during(65);
  const auto read_all = [](std::vector<struct sigaction>& all) {
    for (int signal = 1; signal < 65; ++signal)
      ::sigaction(signal, nullptr, &all[static_cast<std::size_t>(signal)]);
  };
  read_all(before);
  Running running;
  std::atomic<int> counter{0};
  REQUIRE(running.loop.set_timer(&add_one, &counter, kMs));
  REQUIRE(reaches(counter, 1));
  read_all(during);
  for (std::size_t signal = 1; signal < 65; ++signal)
    CHECK((before[signal].sa_handler == during[signal].sa_handler));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(7);
  ::usleep(20'000);
  int status = 0;
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 7);
}
