#include "common/worker_loop.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "platforms/clock.h"
#include "platforms/fault_points.h"
#include "platforms/file.h"
#include "platforms/local_socket.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"

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

void sleep_us(int us) { std::this_thread::sleep_for(std::chrono::microseconds(us)); }

void add_one(void* counter) noexcept { static_cast<std::atomic<int>*>(counter)->fetch_add(1); }

bool reaches(const std::atomic<int>& counter, int wanted, std::uint64_t within_ms = 10'000) {
  const std::uint64_t deadline = platforms::monotonic_ns() + within_ms * kMs;
  while (counter.load() < wanted && platforms::monotonic_ns() < deadline) sleep_us(500);
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
    if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " %7s", &from, &to, access) != 3)
      continue;
    if (from >= start && to <= start + WorkerLoop::kArenaBytes && access[1] == 'w')
      bytes += to - from;
  }
  return bytes;
}

std::string line_of(const char* path, const std::string& start) {
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);)
    if (line.compare(0, start.size(), start) == 0) return line;
  return {};
}

}  // namespace

TEST_CASE("tasks run on the loop's own thread, with every signal blocked") {
  Running running;
  struct Seen {
    std::atomic<int> done{0};
    std::string name;
    int unblocked = -1;
  } seen;
  const auto look = [](void* out) noexcept {
    auto& all = *static_cast<Seen*>(out);
    all.name = line_of("/proc/thread-self/comm", "");
    all.unblocked = platforms::unblocked_signals_for_test();
    all.done = 1;
  };
  CHECK(running.loop.post(look, &seen));
  REQUIRE(reaches(seen.done, 1));
  CHECK(seen.name == "hf-loop");
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
    while (!s.go.load()) sleep_us(200);
  };
  struct Item {
    State* state;
    int number;
  };
  std::vector<Item> items;
  items.reserve(WorkerLoop::kMaxTasks + 1);
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
      while (!all.running.loop.post(&add_one, &counter)) sleep_us(100);
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
  sleep_us(30'000);
  CHECK(once == 1);
  CHECK(never == 0);
  running.loop.clear_timer(&add_one, &often);
  sleep_us(20'000);
  const int then = often;
  sleep_us(30'000);
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
  const auto hold = [](void*) noexcept { sleep_us(100'000); };
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

// In a child: a second arena is there for good, and what others measure is in the first.
TEST_CASE("two loops run beside each other, and each place is given back") {
  const int result = platforms::run_in_child([] {
    Ledger ledger(std::uint64_t{64} << 20);
    for (int round = 0; round < 3; ++round) {
      WorkerLoop first, second;
      if (!first.reserve(ledger) || !second.reserve(ledger)) return 1;
      if (!first.start() || !second.start()) return 2;
      std::atomic<int> counter{0};
      if (!first.post(&add_one, &counter) || !second.post(&add_one, &counter)) return 3;
      if (!reaches(counter, 2)) return 4;
      first.stop();
      if (!second.set_timer(&add_one, &counter, kMs) || !reaches(counter, 3)) return 5;
    }
    return 0;
  });
  CHECK(result == 0);
}

TEST_CASE("a process with many descriptors: libuv's table is charged before it grows") {
  const int result = platforms::run_in_child([] {
    const bool many =
        platforms::use_up_descriptors_for_test(64) * sizeof(void*) > std::size_t{17'000} * 8;
    Ledger ledger(std::uint64_t{64} << 20);
    WorkerLoop loop;
    if (!loop.reserve(ledger) || !loop.start()) return 1;
    std::atomic<int> counter{0};
    if (!loop.post(&add_one, &counter) || !reaches(counter, 1)) return 2;
    const std::uint64_t charged = ledger.category_bytes(MemoryCategory::kWorker);
    if (committed_bytes() > charged) return 3;
    if (many && charged <= WorkerLoop::kBaseBytes) return 4;
    loop.stop();
    Ledger narrow(WorkerLoop::kBaseBytes + 1);
    WorkerLoop poor;
    if (!poor.reserve(narrow)) return 5;
    return many && poor.start().ok() ? 6 : 0;
  });
  CHECK(result == 0);
}

TEST_CASE(
    "without descriptors the loop does not start, and the process goes on (libuv alone would "
    "abort)") {
  const int result = platforms::run_in_child([] {
    platforms::limit_descriptors_for_test(8);
    Ledger ledger(std::uint64_t{64} << 20);
    WorkerLoop loop;
    if (!loop.reserve(ledger)) return 1;
    const auto refused = loop.start();
    const bool right = !refused && refused.error().code == ErrorCode::kOutOfMemory;
    return right && refused.error().detail == EMFILE ? 0 : 2;
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
  std::thread([] {}).join();  // with the first thread libc takes a signal for itself
  const std::string before = line_of("/proc/self/status", "SigCgt:");
  Running running;
  std::atomic<int> counter{0};
  REQUIRE(running.loop.set_timer(&add_one, &counter, kMs));
  REQUIRE(reaches(counter, 1));
  CHECK(before.size() > 8);
  CHECK(line_of("/proc/self/status", "SigCgt:") == before);
  platforms::ChildForTest child([](void*) { return 7; }, nullptr);
  sleep_us(20'000);
  CHECK(child.wait() == 7);
}

TEST_CASE(
    "a descriptor that can be read runs its task, until it is let go; then another may come") {
  const platforms::ScratchDirectory scratch;
  const int directory = platforms::open_own_directory(scratch.path());
  struct Watch {
    Running running;
    int listening = -1;
    int result = -1;
    std::atomic<int> done{0};
    std::atomic<int> ready{0};
    static void begin(void* raw) noexcept {
      auto& self = *static_cast<Watch*>(raw);
      const auto watched = self.running.loop.watch_descriptor(self.listening, &take, raw);
      self.result = watched.ok() ? 0 : static_cast<int>(watched.error().code) + 1;
      ++self.done;
    }
    static void end(void* raw) noexcept {
      auto& self = *static_cast<Watch*>(raw);
      self.running.loop.unwatch_descriptor();
      self.running.loop.unwatch_descriptor();
      ++self.done;
    }
    static void take(void* raw) noexcept {
      auto& self = *static_cast<Watch*>(raw);
      platforms::close_quietly(platforms::accept_connection(self.listening));
      ++self.ready;
    }
    int run(WorkerLoop::Task task) {
      const int before = done;
      REQUIRE(running.loop.post(task, this));
      REQUIRE(reaches(done, before + 1));
      return result;
    }
  } watch;
  watch.listening = platforms::listen_in(directory, "s", 4);
  const auto knock = [&] {
    platforms::close_quietly(platforms::connect_to(scratch.file("s").c_str()));
  };
  const int good = watch.listening;
  watch.listening = -1;
  CHECK(watch.run(&Watch::begin) == static_cast<int>(ErrorCode::kIo) + 1);
  watch.listening = good;
  CHECK(watch.run(&Watch::begin) == 0);
  CHECK(watch.run(&Watch::begin) == static_cast<int>(ErrorCode::kRefused) + 1);
  knock();
  CHECK(reaches(watch.ready, 1));
  watch.run(&Watch::end);
  knock();
  sleep_us(20'000);
  CHECK(watch.ready == 1);
  CHECK(watch.run(&Watch::begin) == 0);
  CHECK(reaches(watch.ready, 2));
  CHECK(watch.running.loop.up());
  watch.running.loop.stop();
  CHECK_FALSE(watch.running.loop.up());
  watch.running.loop.unwatch_descriptor();  // the loop has let go of it
  platforms::close_quietly(good);
  platforms::close_quietly(directory);
}
