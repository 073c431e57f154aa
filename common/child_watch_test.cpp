#include "common/child_watch.h"

#include <doctest/doctest.h>

#include <new>
#include <string>
#include <string_view>

#include "platforms/cgroup_root_for_test.h"
#include "platforms/child.h"
#include "platforms/clock.h"
#include "platforms/pages.h"
#include "platforms/thread.h"

using namespace holdfast;

namespace {

// Numbers of signals on every Linux.
constexpr int kKill = 9, kSegmentationFault = 11, kAlarm = 14;
constexpr std::uint64_t kSecond = 1'000'000'000;

alignas(64) std::byte child_stack[64 * 1024];

// The mailbox lies in memory that parent and child share.
struct Bench {
  ChildMailbox* mailbox;
  CancelToken cancel;
  std::int64_t process = 0;
  platforms::CgroupRoot root;
  platforms::MemoryWatch memory;

  Bench() {
    std::byte* shared = platforms::shared_pages(sizeof(ChildMailbox));
    REQUIRE(shared != nullptr);
    mailbox = new (shared) ChildMailbox;
  }
  ~Bench() {
    // Whatever became of it: it is gone, and reaped.
    CHECK(platforms::poll_child(process).state == platforms::ChildState::kLost);
    platforms::release_pages(reinterpret_cast<std::byte*>(mailbox), sizeof(ChildMailbox));
  }
  void spawn(int (*body)(void*) noexcept, std::uint32_t watchdog_seconds = 60) {
    platforms::ChildPlan plan;
    plan.name = "hf watched";
    plan.stack = child_stack;
    plan.stack_bytes = sizeof child_stack;
    plan.watchdog_seconds = watchdog_seconds;
    plan.body = body;
    plan.argument = mailbox;
    process = platforms::spawn_child(plan);
    REQUIRE(process > 0);
  }
  ChildEndReport watch(std::uint64_t patience_ns = 30 * kSecond) {
    return watch_child(process, *mailbox, memory, cancel, platforms::monotonic_ns() + patience_ns);
  }
};

ChildMailbox& mailbox_of(void* raw) noexcept { return *static_cast<ChildMailbox*>(raw); }

int tell_and_end(void* raw) noexcept {
  platforms::sleep_ns(5'000'000);
  mailbox_of(raw).result.objects = 42;
  mailbox_of(raw).phase.store(ChildPhase::kEnded, std::memory_order_release);
  return 3;
}

int end_without_a_word(void*) noexcept { return 0; }

int end_halfway(void* raw) noexcept {
  mailbox_of(raw).phase.store(ChildPhase::kAnalysing, std::memory_order_release);
  return 0;
}

int crash(void*) noexcept {
  auto* volatile nowhere = reinterpret_cast<volatile int*>(std::uintptr_t{64});
  *nowhere = 1;
  return 0;
}

int tell_and_crash(void* raw) noexcept {
  mailbox_of(raw).phase.store(ChildPhase::kEnded, std::memory_order_release);
  return crash(raw);
}

int count_as_reader(void* raw) noexcept {
  for (;;) {
    platforms::sleep_ns(1'000'000);
    ++mailbox_of(raw).result.objects;
  }
}

int count_as_analyst(void* raw) noexcept {
  mailbox_of(raw).phase.store(ChildPhase::kReleased, std::memory_order_release);
  return count_as_reader(raw);
}

int hang(void*) noexcept {
  for (;;) platforms::sleep_ns(kSecond);
}

}  // namespace

TEST_CASE("a child that tells its result and ends") {
  Bench bench;
  bench.spawn(&tell_and_end);
  const ChildEndReport end = bench.watch();
  CHECK(end.verdict == ChildVerdict::kEnded);
  CHECK(end.status == 3);
  CHECK(bench.mailbox->result.objects == 42);
}

TEST_CASE("a child that ends without a result has crashed, however politely") {
  for (auto body : {&end_without_a_word, &end_halfway}) {
    Bench bench;
    bench.spawn(body);
    const ChildEndReport end = bench.watch();
    CHECK(end.verdict == ChildVerdict::kCrashed);
    CHECK(end.status == 0);
  }
}

TEST_CASE("a child that a signal ends has crashed, also after it told a result") {
  for (auto body : {&crash, &tell_and_crash}) {
    Bench bench;
    bench.spawn(body);
    const ChildEndReport end = bench.watch();
    CHECK(end.verdict == ChildVerdict::kCrashed);
    CHECK(end.status == kSegmentationFault);
    CHECK(end.faulted);
  }
}

TEST_CASE("a child that hangs is ended at the deadline") {
  Bench bench;
  bench.spawn(&hang);
  const std::uint64_t began = platforms::monotonic_ns();
  CHECK(bench.watch(kSecond / 20).verdict == ChildVerdict::kTooLong);
  const std::uint64_t took = platforms::monotonic_ns() - began;
  CHECK(took >= kSecond / 20);
  CHECK(took < 10 * kSecond);
}

TEST_CASE("a child whose own watchdog ends it took too long, and is no fault of the VM's tables") {
  Bench bench;
  bench.spawn(&hang, 1);
  const ChildEndReport end = bench.watch();
  CHECK(end.verdict == ChildVerdict::kTooLong);
  CHECK(end.status == kAlarm);
  CHECK_FALSE(end.faulted);
}

TEST_CASE("a withdrawn dump's child is ended at once") {
  Bench bench;
  bench.spawn(&hang);
  bench.cancel.cancel();
  CHECK(bench.watch().verdict == ChildVerdict::kCancelled);
}

TEST_CASE("a child goes while there is still memory for the application") {
  for (const bool room : {true, false}) {
    Bench bench;
    bench.root.with("/proc/meminfo",
                    "MemAvailable: " + std::to_string(room ? 26 : 24) + "000 kB\n");
    bench.memory.open(bench.root.path());
    bench.spawn(&hang);
    CHECK(bench.watch(kSecond / 50).verdict ==
          (room ? ChildVerdict::kTooLong : ChildVerdict::kNoMemory));
  }
}

TEST_CASE(
    "while a quota holds the application back, a child waits, unless it still holds the heap") {
  const auto counted = [](int (*body)(void*) noexcept) {
    const std::string group = "/sys/fs/cgroup/a";
    Bench bench;
    bench.root.with("/proc/self/cgroup", "0::/a\n")
        .with("/proc/self/mountinfo", platforms::kV2Mount);
    bench.root.with(group + "/cpu.stat", "nr_throttled 0\n");
    bench.memory.open(bench.root.path());
    bench.root.with(group + "/cpu.stat", "nr_throttled 1\n");
    platforms::sleep_ns(2 * platforms::MemoryWatch::kStatPeriodNs);
    bench.spawn(body);
    CHECK(bench.watch(kSecond / 8).verdict == ChildVerdict::kTooLong);
    return bench.mailbox->result.objects;
  };
  CHECK(counted(&count_as_analyst) * 2 < counted(&count_as_reader));
}

TEST_CASE("an administrator's kill is a crash by that signal") {
  Bench bench;
  bench.spawn(&hang);
  platforms::kill_child(bench.process);
  const ChildEndReport end = bench.watch();
  CHECK(end.verdict == ChildVerdict::kCrashed);
  CHECK(end.status == kKill);
  CHECK_FALSE(end.faulted);
}

TEST_CASE("a child that somebody else reaped is no result") {
  Bench bench;
  bench.spawn(&tell_and_end);
  while (platforms::poll_child(bench.process).state == platforms::ChildState::kRunning)
    platforms::sleep_ns(1'000'000);
  CHECK(bench.watch().verdict == ChildVerdict::kCrashed);
}

TEST_CASE("every verdict has words of its own") {
  for (const auto verdict : {ChildVerdict::kEnded, ChildVerdict::kCrashed, ChildVerdict::kNoMemory,
                             ChildVerdict::kCancelled, ChildVerdict::kTooLong})
    CHECK(std::string_view(child_verdict_text(verdict)).size() > 5);
}
