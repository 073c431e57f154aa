#include "clrprofiler/roots/thread_stacks.h"

#include <doctest/doctest.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "analysis/lab/test_arena.h"
#include "clrprofiler/roots/fake_process.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

using namespace holdfast;
using namespace holdfast::clr;

namespace {

std::vector<std::uint64_t> frames_of(const ThreadStacks& stacks, std::size_t thread) {
  const StackOfThread& one = stacks.threads()[thread];
  const auto frames = stacks.functions().subspan(one.first, one.frames);
  return {frames.begin(), frames.end()};
}

std::atomic<std::uint32_t> g_number{0};

void wait_for(void* mutex) {
  g_number = platforms::thread_number();
  const platforms::MutexLock lock(*static_cast<platforms::Mutex*>(mutex));
}

using Frames = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("stacks: of all threads, while the runtime is suspended, without unmanaged frames") {
  FakeProcess runtime;
  runtime.suspensions_refused = 3;
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  platforms::Mutex mutex;
  platforms::Thread ours;
  g_number = 0;
  {
    const platforms::MutexLock lock(mutex);  // ours, which collected before, lives as long
    REQUIRE(ours.start("hf-collect", 1u << 18, &wait_for, &mutex) == 0);
    while (g_number == 0) platforms::sleep_ns(100'000);
    runtime.threads = {
        {0x10, 98, {0, 5, 6, 0, 7}}, {0x20, 0, {}}, {0x40, g_number, {9}}, {0x30, 99, {8}}};
    REQUIRE(stacks.take(runtime.info(), memory.arena()).ok());
  }
  ours.join();
  REQUIRE(stacks.threads().size() == 3);
  CHECK(frames_of(stacks, 0) == Frames{5, 6, 7});
  CHECK(frames_of(stacks, 1).empty());
  CHECK(frames_of(stacks, 2) == Frames{8});
  CHECK(stacks.functions().size() == 4);
  CHECK(stacks.cut_stacks() == 0);
  CHECK(runtime.walks_while_running == 0);
  CHECK(runtime.suspended == 0);
  CHECK(runtime.suspensions == 1);
  CHECK(runtime.references == 1);
  CHECK(stacks.pause_ns() > 0);
}

TEST_CASE("stacks: threads become rows, with the system's names and numbers") {
  FakeProcess runtime;
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  platforms::Mutex mutex;
  g_number = 0;
  std::thread other;
  {
    const platforms::MutexLock lock(mutex);  // the other one lives until its name has been read
    other = std::thread([&mutex] {
      std::ofstream("/proc/thread-self/comm") << "a-worker";
      wait_for(&mutex);
    });
    while (g_number == 0) platforms::sleep_ns(100'000);
    runtime.threads = {{0x10, g_number, {}}, {0x20, 0, {}}};
    REQUIRE(stacks.take(runtime.info(), memory.arena()).ok());
  }
  other.join();
  auto names = StringTable::make(memory.arena(), 16, 1024);
  REQUIRE(names.ok());
  Catalog catalog;
  catalog.strings = *names;
  REQUIRE(stacks.fill_catalog(memory.arena(), catalog).ok());
  REQUIRE(catalog.threads.size() == 2);
  CHECK(catalog.strings.view(catalog.threads[0].name) == "a-worker");
  CHECK(catalog.threads[0].vm_id == g_number);
  CHECK(catalog.strings.view(catalog.threads[1].name).empty());
}

TEST_CASE("stacks: a deep recursion keeps its top, and others keep theirs") {
  FakeProcess runtime;
  runtime.threads = {{0x10, 1, std::vector<FunctionID>(StackWalk::kMostFrames + 10, 5)},
                     {0x20, 2, {6}}};
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  REQUIRE(stacks.take(runtime.info(), memory.arena()).ok());
  CHECK(stacks.threads()[0].frames == StackWalk::kMostFrames);
  CHECK(stacks.threads()[0].cut);
  CHECK(stacks.cut_stacks() == 1);
  CHECK(frames_of(stacks, 1) == Frames{6});
}

TEST_CASE("stacks: when the room is full the rest is cut, and when time is up it is not walked") {
  FakeProcess runtime;
  for (ThreadID id = 1; id <= 10; ++id)
    runtime.threads.push_back({id, 0, std::vector<FunctionID>(StackWalk::kMostFrames, id)});
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  // On a busy machine, or under a sanitizer, the time that a walk has may be over first.
  for (int i = 0; i < 50; ++i) {
    memory.arena().reset();
    REQUIRE(stacks.take(runtime.info(), memory.arena()).ok());
    if (stacks.unwalked_threads() == 0) break;
  }
  CHECK(stacks.functions().size() == ThreadStacks::kFrameRoom);
  CHECK(stacks.cut_stacks() == 2);

  std::vector<StackOfThread> threads(2);
  std::vector<std::uint64_t> functions(8);
  StackWalk late;
  late.threads = threads;
  late.functions = functions;
  late.deadline_ns = 1;
  walk_stacks_stopped(*runtime.info(), late);
  CHECK(late.unwalked_threads == 2);
  CHECK(late.used == 0);
}

TEST_CASE("stacks: a refused suspension is told, and nothing is walked") {
  FakeProcess runtime;
  runtime.threads = {{0x10, 1, {5}}};
  runtime.suspend_answer = E_FAIL;
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  const auto taken = stacks.take(runtime.info(), memory.arena());
  REQUIRE_FALSE(taken.ok());
  CHECK(taken.error().code == ErrorCode::kVm);
  CHECK(stacks.functions().empty());
  CHECK(runtime.references == 1);
}

TEST_CASE(
    "stacks: who has ended since the threads were listed is not walked, who has begun is there") {
  FakeProcess runtime;
  runtime.threads = {{0x30, 1, {5}}, {0x10, 2, {6}}, {0x20, 3, {7}}};
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  REQUIRE(stacks.prepare(runtime.info(), memory.arena()).ok());
  stacks.begin_living_stopped();
  for (const ThreadID living : {0x40u, 0x10u, 0x30u}) stacks.note_living_stopped(living);
  ++runtime.suspended;
  stacks.walk_stopped(runtime.info(), ThreadStacks::kMostPauseNs);
  --runtime.suspended;
  REQUIRE(stacks.threads().size() == 4);
  CHECK(frames_of(stacks, 0) == Frames{5});
  CHECK(frames_of(stacks, 1) == Frames{6});
  CHECK(stacks.threads()[2].gone);
  CHECK(frames_of(stacks, 2).empty());
  CHECK(stacks.threads()[3].thread == 0x40);
  CHECK(stacks.threads()[3].newcomer);
  CHECK(stacks.threads()[3].cut);
  CHECK(stacks.functions().size() == 2);
  auto names = StringTable::make(memory.arena(), 16, 1024);
  REQUIRE(names.ok());
  Catalog catalog;
  catalog.strings = *names;
  REQUIRE(stacks.fill_catalog(memory.arena(), catalog).ok());
  CHECK(catalog.threads.size() == 4);
}

TEST_CASE("stacks: there is room for some newcomers, not for any number") {
  FakeProcess runtime;
  analysis::lab::TestArena memory;
  ThreadStacks stacks;
  REQUIRE(stacks.prepare(runtime.info(), memory.arena()).ok());
  stacks.begin_living_stopped();
  for (ThreadID id = 1; id <= ThreadStacks::kNewcomers + 5; ++id) stacks.note_living_stopped(id);
  CHECK(stacks.threads().size() == ThreadStacks::kNewcomers);
}
