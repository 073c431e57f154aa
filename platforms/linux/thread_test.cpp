#include "platforms/thread.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <string>

#include "platforms/clock.h"
#include "platforms/fault_points.h"

using namespace holdfast::platforms;

namespace {

constexpr std::size_t kStack = std::size_t{256} << 10;
constexpr std::uint64_t kMs = 1'000'000;

struct Seen {
  char name[16] = "";
  int unblocked = 0;
  std::size_t stack_bytes = 0;
};

void look_around(void* out) {
  auto& seen = *static_cast<Seen*>(out);
  ::pthread_getname_np(::pthread_self(), seen.name, sizeof seen.name);
  sigset_t mask;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  // 32 and 33 are libc's own and cannot be blocked.
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (signal != 32 && signal != 33 && signal != SIGKILL && signal != SIGSTOP)
      seen.unblocked += ::sigismember(&mask, signal) == 1 ? 0 : 1;
  pthread_attr_t attributes;
  ::pthread_getattr_np(::pthread_self(), &attributes);
  ::pthread_attr_getstacksize(&attributes, &seen.stack_bytes);
  ::pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("a thread has its name, its stack, and no signal; the starter's mask stays") {
  sigset_t before;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &before);
  Seen seen;
  Thread thread;
  REQUIRE(thread.start("hf-a-name-that-is-too-long", kStack, &look_around, &seen) == 0);
  CHECK(thread.running());
  CHECK(thread.start("again", kStack, &look_around, &seen) == EBUSY);
  thread.join();
  CHECK_FALSE(thread.running());
  CHECK(std::string(seen.name) == "hf-a-name-that-");
  CHECK(seen.unblocked == 0);
  CHECK(seen.stack_bytes >= kStack);
  CHECK(seen.stack_bytes < 4 * kStack);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, nullptr, &after);
  for (int signal = 1; signal < 32; ++signal)
    CHECK(::sigismember(&before, signal) == ::sigismember(&after, signal));
  thread.join();  // nothing to do
}

TEST_CASE("threads of this process have names, cut to what there is room for") {
  char name[16];
  thread_name(static_cast<std::uint32_t>(::getpid()), name, sizeof name);
  CHECK(std::string(name) == std::string("platforms_linux_test").substr(0, 15));
  thread_name(static_cast<std::uint32_t>(::getpid()), name, 5);
  CHECK(std::string(name) == "plat");
  thread_name(1u << 30, name, sizeof name);
  CHECK(std::string(name).empty());
  static char given[16];
  Thread thread;
  REQUIRE(thread.start(
              "hf-a-name-that-is-too-long", kStack,
              [](void*) { thread_name(thread_number(), given, sizeof given); }, nullptr) == 0);
  thread.join();
  CHECK(std::string(given) == "hf-a-name-that-");
}

TEST_CASE("a stack that is too small becomes the smallest there is, and a thread can start again") {
  Thread thread;
  for (int round = 0; round < 3; ++round) {
    Seen seen;
    REQUIRE(thread.start("hf-small", 1, &look_around, &seen) == 0);
    thread.join();
    CHECK(std::string(seen.name) == "hf-small");
  }
}

TEST_CASE("a detached thread goes its own way") {
  std::atomic<int> done{0};
  {
    Thread thread;
    REQUIRE(thread.start(
                "hf-free", kStack, [](void* d) { static_cast<std::atomic<int>*>(d)->store(1); },
                &done) == 0);
    thread.detach();
    CHECK_FALSE(thread.running());
  }
  while (done.load() == 0) ::usleep(1000);
}

TEST_CASE("a low priority, and only for the thread itself") {
  struct Priority {
    int scheduler = -1;
    int nice = 0;
    long io = 0;
  } seen;
  Thread thread;
  const auto lower = [](void* out) {
    auto& priority = *static_cast<Priority*>(out);
    lower_current_thread();
    lower_current_thread();  // a second time does no harm
    priority.scheduler = ::sched_getscheduler(0);
    priority.nice = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)));
    priority.io = ::syscall(SYS_ioprio_get, 1, 0);
  };
  REQUIRE(thread.start("hf-low", kStack, lower, &seen) == 0);
  thread.join();
  CHECK(seen.scheduler == SCHED_BATCH);
  CHECK(seen.nice == 14);
  CHECK(seen.io == 3 << 13);
  CHECK(::sched_getscheduler(0) == SCHED_OTHER);  // ours is as it was
}

TEST_CASE("a wait ends at its deadline, and not before") {
  Mutex mutex;
  Condition condition;
  const std::uint64_t start = monotonic_ns();
  MutexLock lock(mutex);
  while (condition.wait_until(mutex, start + 20 * kMs)) {
  }
  CHECK(monotonic_ns() >= start + 20 * kMs);
  CHECK_FALSE(condition.wait_until(mutex, 0));  // long past
}

TEST_CASE("what one thread announces the other sees") {
  struct Shared {
    Mutex mutex;
    Condition changed;
    int turn HF_GUARDED_BY(mutex) = 0;
  } shared;
  const auto answer = [](void* s) {
    auto& both = *static_cast<Shared*>(s);
    for (int round = 0; round < 1000; ++round) {
      MutexLock lock(both.mutex);
      while (both.turn % 2 == 0) both.changed.wait(both.mutex);
      ++both.turn;
      both.changed.notify_all();
    }
  };
  Thread thread;
  REQUIRE(thread.start("hf-answer", kStack, answer, &shared) == 0);
  for (int round = 0; round < 1000; ++round) {
    MutexLock lock(shared.mutex);
    while (shared.turn % 2 == 1) shared.changed.wait(shared.mutex);
    ++shared.turn;
    shared.changed.notify_all();
  }
  thread.join();
  MutexLock lock(shared.mutex);
  CHECK(shared.turn == 2000);
}

#if defined(HF_FAULT_POINTS)
TEST_CASE("a thread that the system refuses is an answer") {
  const FaultScope fault(FaultPoint::kThread, {.error = EAGAIN});
  Thread thread;
  CHECK(thread.start("hf-never", kStack, &look_around, nullptr) == EAGAIN);
  CHECK_FALSE(thread.running());
}
#endif

TEST_CASE("the CPU time of our threads counts while they run and after they have ended") {
  struct Work {
    std::atomic<bool> spin{true};
    std::atomic<bool> stop{false};
  } work;
  const auto body = [](void* raw) {
    auto& all = *static_cast<Work*>(raw);
    while (all.spin) {
    }
    while (!all.stop) sleep_ns(1'000'000);
  };
  const std::uint64_t before = own_threads_cpu_ns();
  Thread thread;
  REQUIRE(thread.start("hf-spin", 1 << 16, body, &work) == 0);
  constexpr std::uint64_t kWanted = 30'000'000;
  const std::uint64_t deadline = monotonic_ns() + 10'000'000'000;
  while (own_threads_cpu_ns() - before < kWanted && monotonic_ns() < deadline) sleep_ns(1'000'000);
  CHECK(own_threads_cpu_ns() - before >= kWanted);
  work.spin = false;
  work.stop = true;
  thread.join();
  const std::uint64_t after = own_threads_cpu_ns();
  CHECK(after - before >= kWanted);
  sleep_ns(20'000'000);
  CHECK(own_threads_cpu_ns() == after);
}
