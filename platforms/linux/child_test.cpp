#include "platforms/child.h"

#include <doctest/doctest.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <string>

#include "platforms/clock.h"
#include "platforms/comes_true_for_test.h"
#include "platforms/fault_points.h"
#include "platforms/file.h"
#include "platforms/pages.h"
#include "platforms/process.h"
#include "platforms/process_for_tests.h"
#include "platforms/scratch_for_test.h"
#include "platforms/thread.h"

using namespace holdfast::platforms;

namespace {

constexpr std::size_t kStackBytes = 256 * 1024;
constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kPatienceNs = 20'000 * kMillisecond;
constexpr uid_t kSomebody = 4711;
constexpr unsigned kUnshare = 2;       // the flag of close_range
constexpr unsigned kListBytes = 2048;  // with which the child lists its descriptors

alignas(64) std::byte child_stack[kStackBytes];

// What parent and child both see; everything else is a copy.
struct Shared {
  std::atomic<int> ready{0};
  std::atomic<int> go_on{0};
  std::atomic<int> handlers_run{0};
  std::atomic<int> cleaned_up{0};
  std::atomic<bool> may_outlive{false};
  std::atomic<std::int64_t> pid{0};
};

Shared& shared() {
  static Shared* const kPage = [] {
    void* start =
        ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (start) Shared;
  }();
  return *kPage;
}

void forget_shared() {
  shared().ready = 0;
  shared().go_on = 0;
  shared().handlers_run = 0;
  shared().cleaned_up = 0;
  shared().may_outlive = false;
  shared().pid = 0;
}

using Body = int (*)(void*) noexcept;

ChildPlan plan_of(Body body, void* argument = nullptr) {
  ChildPlan plan;
  plan.name = "hf child";
  plan.stack = child_stack;
  plan.stack_bytes = sizeof child_stack;
  plan.watchdog_seconds = 30;
  plan.body = body;
  plan.argument = argument;
  return plan;
}

std::int64_t spawn(Body body, void* argument = nullptr) {
  forget_shared();
  return spawn_child(plan_of(body, argument));
}

ChildEnd wait_for_end(std::int64_t pid) {
  ChildEnd end{ChildState::kRunning, 0};
  const std::uint64_t deadline_ns = monotonic_ns() + kPatienceNs;
  while (end.state == ChildState::kRunning && monotonic_ns() < deadline_ns) {
    end = poll_child(pid);
    sleep_ns(kMillisecond);
  }
  return end;
}

void end_child(std::int64_t pid) {
  kill_child(pid);
  const ChildEnd end = wait_for_end(pid);
  CHECK(end.state == ChildState::kKilled);
  CHECK(end.status == SIGKILL);
}

int sleep_until_told(void*) noexcept {
  lower_current_thread();
  shared().ready = 1;
  while (shared().go_on == 0) sleep_ns(kMillisecond);
  return 7;
}

bool is_ready() { return shared().ready != 0; }

int crash(void*) noexcept {
  // Not null: a sanitizer would answer for the system.
  auto* volatile nowhere = reinterpret_cast<volatile int*>(std::uintptr_t{64});
  *nowhere = 1;
  return 0;
}

int crash_unblocked(void*) noexcept {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_UNBLOCK, &all, nullptr);
  return crash(nullptr);
}

void note_handler(int) { ++shared().handlers_run; }

// From now on this process is told `error` when it makes the call with `third` as its third argument.
bool refuse_call(unsigned number, unsigned third, unsigned error) {
  constexpr unsigned kLoad = BPF_LD | BPF_W | BPF_ABS;
  constexpr unsigned kIfEqual = BPF_JMP | BPF_JEQ | BPF_K;
  sock_filter code[] = {
      BPF_STMT(kLoad, offsetof(seccomp_data, nr)),
      BPF_JUMP(kIfEqual, number, 0, 3),
      BPF_STMT(kLoad, offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t)),
      BPF_JUMP(kIfEqual, third, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{sizeof code / sizeof code[0], code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

std::string proc_file(std::int64_t pid, const char* name) {
  char text[256];
  const std::string path = "/proc/" + std::to_string(pid) + "/" + name;
  const std::int64_t bytes = read_small_file(path.c_str(), text, sizeof text);
  return bytes < 0 ? "unreadable" : std::string(text, static_cast<std::size_t>(bytes));
}

std::size_t open_descriptors(std::int64_t pid) {
  const std::filesystem::directory_iterator list("/proc/" + std::to_string(pid) + "/fd");
  return static_cast<std::size_t>(std::distance(list, {}));
}

int peer_sees_end() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  for (int more = 0; more < 300; ++more)
    if (::dup(ends[0]) < 0) return 2;
  const std::int64_t pid = spawn(&sleep_until_told);
  if (!comes_true(&is_ready)) return 3;
  if (open_descriptors(pid) != 0) return 4;
  if (::fcntl(ends[0], F_GETFD) < 0 || ::fcntl(1, F_GETFD) < 0) return 5;  // ours stay open
  for (int descriptor = 3; descriptor < 400; ++descriptor)
    if (descriptor != ends[1]) ::close(descriptor);
  pollfd peer{ends[1], POLLIN, 0};
  char byte;
  if (::poll(&peer, 1, 1000) != 1 || ::read(ends[1], &byte, 1) != 0) return 6;
  if (poll_child(pid).state != ChildState::kRunning) return 7;
  kill_child(pid);
  return wait_for_end(pid).state == ChildState::kKilled ? 0 : 8;
}

// `test` answers 0 when all is well. Descriptors are given up in two ways, so what depends on it runs with and without the
// kernel's help, each time in a process of its own. No test calls prepare_children() in the process of all tests.
template <class Test>
void with_and_without_help(Test test) {
  CHECK(run_in_child(test) == 0);
  const auto helped = [&] {
    prepare_children();
    return test();
  };
  CHECK(run_in_child(helped) == 0);
}

}  // namespace

TEST_CASE("a child answers its exit status, and its end is told once") {
  int number = 42;
  const auto answer = [](void* raw) noexcept { return *static_cast<int*>(raw); };
  const std::int64_t pid = spawn(answer, &number);
  REQUIRE(pid > 0);
  const ChildEnd end = wait_for_end(pid);
  CHECK(end.state == ChildState::kExited);
  CHECK(end.status == 42);
  CHECK(poll_child(pid).state == ChildState::kLost);
  CHECK_FALSE(process_alive(static_cast<std::uint32_t>(pid)));
}

TEST_CASE("a plan that cannot be run, and a system that refuses, are told") {
  ChildPlan plan = plan_of(&sleep_until_told);
  plan.body = nullptr;
  CHECK(spawn_child(plan) == -EINVAL);
  plan = plan_of(&sleep_until_told);
  plan.stack = nullptr;
  CHECK(spawn_child(plan) == -EINVAL);
  plan = plan_of(&sleep_until_told);
  plan.stack_bytes = kMinChildStackBytes - 1;
  CHECK(spawn_child(plan) == -EINVAL);
#if defined(HF_FAULT_POINTS)
  {
    const FaultScope fault(FaultPoint::kFork, {.after = 0, .times = 1, .error = ENOMEM});
    CHECK(spawn(&sleep_until_told) == -ENOMEM);
  }
#endif
  const auto refused = [] {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_NPROC, &none);
    if (::setuid(kSomebody) != 0 && ::geteuid() == 0) return 1;  // root may have any number
    const std::int64_t answer = spawn(&sleep_until_told);
    sigset_t mask;
    ::sigprocmask(SIG_SETMASK, nullptr, &mask);
    return answer == -EAGAIN && ::sigismember(&mask, SIGTERM) == 0 ? 0 : 2;
  };
  CHECK(run_in_child(refused) == 0);
}

TEST_CASE("a child is killed, and nobody else is") {
  const std::int64_t pid = spawn(&sleep_until_told);
  REQUIRE(comes_true(&is_ready));
  CHECK(poll_child(pid).state == ChildState::kRunning);
  end_child(pid);
  const auto kill_parent = [] {
    kill_child(::getppid());
    return poll_child(::getppid()).state == ChildState::kLost ? 0 : 1;
  };
  CHECK(run_in_child(kill_parent) == 0);
  CHECK(poll_child(-1).state == ChildState::kLost);
  CHECK(poll_child(0).state == ChildState::kLost);
}

TEST_CASE("a child that crashes runs no handler of ours and leaves no core file") {
  const ScratchDirectory scratch;
  const auto crash_there = [&](Body body) {
    if (::chdir(scratch.path()) != 0) return 1;
    const rlimit any{RLIM_INFINITY, RLIM_INFINITY};
    ::setrlimit(RLIMIT_CORE, &any);
    struct sigaction action {};
    action.sa_handler = &note_handler;
    for (const int signal : {SIGSEGV, SIGBUS, SIGABRT}) ::sigaction(signal, &action, nullptr);
    const std::int64_t pid = spawn(body);
    int status = 0;
    if (::waitpid(static_cast<pid_t>(pid), &status, __WALL) != pid) return 2;
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGSEGV) return 3;
    if (WCOREDUMP(status)) return 4;
    return shared().handlers_run == 0 ? 0 : 5;
  };
  CHECK(run_in_child([&] { return crash_there(&crash); }) == 0);
  CHECK(run_in_child([&] { return crash_there(&crash_unblocked); }) == 0);
  CHECK(scratch.count() == 0);
  const std::int64_t pid = spawn(&crash);
  const ChildEnd end = wait_for_end(pid);
  CHECK(end.state == ChildState::kKilled);
  CHECK(end.status == SIGSEGV);
}

TEST_CASE("a child that hangs is ended by its watchdog, though the application ignores alarms") {
  ::signal(SIGALRM, SIG_IGN);
  ChildPlan plan = plan_of(&sleep_until_told);
  plan.watchdog_seconds = 1;
  forget_shared();
  const std::uint64_t began_ns = monotonic_ns();
  const ChildEnd end = wait_for_end(spawn_child(plan));
  ::signal(SIGALRM, SIG_DFL);
  CHECK(end.state == ChildState::kKilled);
  CHECK(end.status == SIGALRM);
  CHECK(monotonic_ns() - began_ns >= 900 * kMillisecond);
}

void note_clean_up() noexcept { ++shared().cleaned_up; }

ChildPlan plan_that_may_outlive() {
  ChildPlan plan = plan_of(&sleep_until_told);
  plan.may_outlive = &shared().may_outlive;
  plan.clean_up = &note_clean_up;
  forget_shared();
  return plan;
}

// Makes the child in a process that ends as `ends` does; the child is left to this one. Answers its number.
template <class Ends>
std::int64_t orphan(const ChildPlan& plan, Ends ends) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  run_in_child([&] {
    shared().pid = spawn_child(plan);
    if (!comes_true(&is_ready)) return 1;
    return ends(shared().pid.load());
  });
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  return shared().pid;
}

TEST_CASE("a child ends with its parent, and cleans up, unless the parent has let it go on") {
  const ChildPlan plan = plan_that_may_outlive();
  SUBCASE("the parent never said so") {
    const ChildEnd end = wait_for_end(orphan(plan, [](std::int64_t) { return 0; }));
    CHECK(end.state == ChildState::kExited);
    CHECK(end.status == kChildUnfit);
    CHECK(shared().cleaned_up == 1);
  }
  SUBCASE("the parent is killed, having said so") {
    const std::int64_t pid = orphan(plan, [](std::int64_t) {
      shared().may_outlive = true;
      return ::raise(SIGKILL);
    });
    CHECK(poll_child(pid).state == ChildState::kRunning);
    shared().go_on = 1;
    CHECK(wait_for_end(pid).status == 7);
    CHECK(shared().cleaned_up == 0);
  }
  SUBCASE("a child that the parent holds goes on, too") {
    const std::int64_t pid = orphan(plan, [](std::int64_t child) {
      shared().may_outlive = true;
      hold_child(child);
      return 0;
    });
    shared().go_on = 1;
    CHECK(wait_for_end(pid).status == 7);
  }
}

TEST_CASE("a child that may outlive its parent is no child of the thread that made it") {
  static ChildPlan plan;
  plan = plan_that_may_outlive();
  Thread thread;
  REQUIRE(thread.start(
              "hf maker", kStackBytes, [](void*) { shared().pid = spawn_child(plan); }, nullptr) ==
          0);
  thread.join();
  REQUIRE(comes_true(&is_ready));
  ::kill(static_cast<pid_t>(shared().pid.load()), SIGCONT);  // whoever sends it
  sleep_ns(20 * kMillisecond);
  CHECK(poll_child(shared().pid).state == ChildState::kRunning);
  shared().go_on = 1;
  CHECK(wait_for_end(shared().pid).status == 7);
}

TEST_CASE("a watchdog cleans up, and the child's end is still the alarm's") {
  ChildPlan plan = plan_that_may_outlive();
  plan.watchdog_seconds = 1;
  const ChildEnd end = wait_for_end(spawn_child(plan));
  CHECK(end.state == ChildState::kKilled);
  CHECK(end.status == SIGALRM);
  CHECK(shared().cleaned_up == 1);
}

TEST_CASE("a child that goes on alone ends in time") {
  ChildPlan plan = plan_that_may_outlive();
  plan.watchdog_seconds = 2;
  const std::int64_t pid = orphan(plan, [](std::int64_t) {
    shared().may_outlive = true;
    return 0;
  });
  const ChildEnd end = wait_for_end(pid);
  CHECK(end.status == SIGALRM);
  CHECK(shared().cleaned_up == 1);
}

TEST_CASE("who waits for all its children does not see ours, alive or dead") {
  const auto waits = [] {
    const std::int64_t pid = spawn(&sleep_until_told);
    if (!comes_true(&is_ready)) return 1;
    int status = 0;
    if (::waitpid(-1, &status, WNOHANG) != -1 || errno != ECHILD) return 2;
    shared().go_on = 1;
    siginfo_t unread{};
    if (::waitid(P_PID, static_cast<id_t>(pid), &unread, WEXITED | WNOWAIT | __WALL) != 0) return 3;
    if (::waitpid(-1, &status, 0) != -1 || errno != ECHILD) return 4;
    const ChildEnd end = poll_child(pid);
    return end.state == ChildState::kExited && end.status == 7 ? 0 : 5;
  };
  CHECK(run_in_child(waits) == 0);
}

TEST_CASE(
    "a handler for the end of children is not called, and ignoring it takes nothing from us") {
  const auto ended_with = [](void (*handler)(int)) {
    ::signal(SIGCHLD, handler);
    const std::int64_t pid = spawn(&sleep_until_told);
    shared().go_on = 1;
    const ChildEnd end = wait_for_end(pid);
    return end.status == 7 && shared().handlers_run == 0 ? 0 : 1;
  };
  CHECK(run_in_child([&] { return ended_with(&note_handler); }) == 0);
  CHECK(run_in_child([&] { return ended_with(SIG_IGN); }) == 0);
}

TEST_CASE("a connection that the parent closes is closed, and no descriptor stays in the child") {
  with_and_without_help(&peer_sees_end);
}

TEST_CASE("what the kernel cannot close at once is closed one by one") {
  const auto without_range = [] {
    return refuse_call(SYS_close_range, kUnshare, ENOSYS) ? peer_sees_end() : 100;
  };
  with_and_without_help(without_range);
  // And without a list of them.
  const auto without_list = [] {
    if (!refuse_call(SYS_close_range, kUnshare, ENOSYS)) return 100;
    return refuse_call(SYS_getdents64, kListBytes, EPERM) ? peer_sees_end() : 101;
  };
  with_and_without_help(without_list);
}

TEST_CASE("a child that cannot leave the parent's descriptors alone ends before it touches them") {
  const auto stuck = [] {
    prepare_children();
    if (!refuse_call(SYS_close_range, kUnshare, ENOSYS)) return 100;
    if (!refuse_call(SYS_unshare, 0, EPERM)) return 101;
    const ChildEnd end = wait_for_end(spawn(&sleep_until_told));
    if (end.state != ChildState::kExited || end.status != kChildUnfit) return 1;
    return ::fcntl(1, F_GETFD) < 0 || shared().ready != 0 ? 2 : 0;
  };
  CHECK(run_in_child(stuck) == 0);
}

TEST_CASE("with the kernel's help the child never holds a connection, not even before it runs") {
  const auto at_once = [] {
    prepare_children();
    // One CPU and a parent that goes before: the child has not run when the connection is closed.
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(::sched_getcpu(), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    const sched_param first{1};
    ::sched_setscheduler(0, SCHED_FIFO, &first);
    for (int tries = 0; tries < 50; ++tries) {
      int ends[2];
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
      const std::int64_t pid = spawn(&sleep_until_told);
      ::close(ends[0]);
      pollfd peer{ends[1], POLLIN, 0};
      if (::poll(&peer, 1, 0) != 1) return 2;
      ::close(ends[1]);
      kill_child(pid);
      if (wait_for_end(pid).state != ChildState::kKilled) return 3;
    }
    return 0;
  };
  CHECK(run_in_child(at_once) == 0);
}

TEST_CASE("at-fork handlers are not run") {
  const auto spawns = [] {
    const auto note = [] { note_handler(0); };
    ::pthread_atfork(note, note, note);
    const std::int64_t pid = spawn(&sleep_until_told);
    shared().go_on = 1;
    return wait_for_end(pid).status == 7 && shared().handlers_run == 0 ? 0 : 1;
  };
  CHECK(run_in_child(spawns) == 0);
}

TEST_CASE(
    "the parent's signal mask and handlers stay as they were; the child takes none of its "
    "signals") {
  sigset_t mask;
  sigset_t before;
  ::sigemptyset(&mask);
  ::sigaddset(&mask, SIGUSR1);
  ::pthread_sigmask(SIG_SETMASK, &mask, &before);
  ::signal(SIGUSR2, &note_handler);
  const std::int64_t pid = spawn(&sleep_until_told);
  sigset_t after;
  ::pthread_sigmask(SIG_SETMASK, &before, &after);
  for (int signal = 1; signal < 32; ++signal)
    CHECK(::sigismember(&after, signal) == ::sigismember(&mask, signal));
  REQUIRE(comes_true(&is_ready));
  for (const int signal : {SIGUSR2, SIGQUIT, SIGINT, SIGTERM, SIGHUP})
    ::kill(static_cast<pid_t>(pid), signal);
  shared().go_on = 1;
  CHECK(wait_for_end(pid).status == 7);
  CHECK(shared().handlers_run == 0);
  struct sigaction now {};
  ::sigaction(SIGUSR2, nullptr, &now);
  CHECK((now.sa_handler == &note_handler));
  ::signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("parent and child each own their memory from the clone on") {
  static volatile int number = 1;
  const auto look_and_change = [](void*) noexcept {
    number = number + 100;
    shared().ready = 1;
    while (shared().go_on == 0) sleep_ns(kMillisecond);
    return static_cast<int>(number);
  };
  const std::int64_t pid = spawn(look_and_change);
  REQUIRE(comes_true(&is_ready));
  CHECK(number == 1);
  number = 50;
  shared().go_on = 1;
  CHECK(wait_for_end(pid).status == 101);
  CHECK(number == 50);
}

TEST_CASE(
    "the child runs on the given stack, with alignment whatever was given, and drops memory") {
  const auto inside = [](void* raw) noexcept {
    const auto& plan = *static_cast<const ChildPlan*>(raw);
    alignas(16) std::byte here[16];
    const auto* at = static_cast<const std::byte*>(__builtin_frame_address(0));
    if (at < plan.stack || at >= plan.stack + plan.stack_bytes) return 1;
    return reinterpret_cast<std::uintptr_t>(&here) % 16 == 0 ? 0 : 2;
  };
  for (const std::size_t short_by : {0u, 1u, 7u, 8u, 15u}) {
    ChildPlan plan = plan_of(inside);
    plan.stack_bytes -= short_by;
    plan.argument = &plan;
    CHECK(wait_for_end(spawn_child(plan)).status == 0);
  }
  std::byte* const page = reserve_pages(page_bytes());
  REQUIRE(commit_pages(page, page_bytes()));
  *page = std::byte{1};
  const auto drop = [](void* raw) noexcept {
    auto* const start = static_cast<std::byte*>(raw);
    unmap_range(start, page_bytes());
    return static_cast<int>(*start);
  };
  CHECK(wait_for_end(spawn(drop, page)).status == SIGSEGV);
  CHECK(*page == std::byte{1});
  release_pages(page, page_bytes());
}

TEST_CASE("what others see of the child: its name, its priority, and that it goes first") {
  const std::int64_t pid = spawn(&sleep_until_told);
  REQUIRE(comes_true(&is_ready));
  CHECK(proc_file(pid, "comm") == "hf child\n");
  CHECK(proc_file(pid, "oom_score_adj") == "1000\n");
  CHECK(::sched_getscheduler(static_cast<pid_t>(pid)) == SCHED_BATCH);
  CHECK((::syscall(SYS_ioprio_get, 1, pid) >> 13) == 3);
  end_child(pid);
}

TEST_CASE("an ordinary user's child is set up likewise, and not dumpable") {
  const auto as_somebody = [] {
    if (::geteuid() == 0 && ::setuid(kSomebody) != 0) return 1;
    ::prctl(PR_SET_DUMPABLE, 1);  // a change of user takes it away
    const auto look = [](void*) noexcept {
      return ::prctl(PR_GET_DUMPABLE) == 0 ? sleep_until_told(nullptr) : 1;
    };
    const std::int64_t pid = spawn(look);
    if (!comes_true(&is_ready)) return 2;
    if (proc_file(pid, "oom_score_adj") != "1000\n") return 3;
    shared().go_on = 1;
    if (wait_for_end(pid).status != 7) return 4;
    return ::prctl(PR_GET_DUMPABLE) == 1 ? 0 : 5;
  };
  with_and_without_help(as_somebody);
}

TEST_CASE("a child dies with its parent") {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto spawn_and_leave = [] {
    shared().pid = spawn(&sleep_until_told);
    return comes_true(&is_ready) ? 0 : 1;
  };
  forget_shared();
  CHECK(run_in_child(spawn_and_leave) == 0);
  const ChildEnd end = wait_for_end(shared().pid);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  CHECK(end.state == ChildState::kKilled);
  CHECK(end.status == SIGKILL);
}
