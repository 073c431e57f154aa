#include "platforms/child.h"

#include <errno.h>
#include <linux/close_range.h>
#include <linux/sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include <atomic>

#include "platforms/fault_points.h"
#include "platforms/linux/own_descriptors.h"
#include "platforms/linux/raw_file.h"
#include "platforms/linux/raw_syscall.h"
#include "platforms/thread.h"

namespace holdfast::platforms {

namespace {

constexpr int kSignalCount = 64;
constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::uint64_t signal_bit(int signal) noexcept { return std::uint64_t{1} << (signal - 1); }
constexpr std::uint64_t kAllBlocked = kAllSignals & ~signal_bit(SIGALRM) & ~signal_bit(SIGCONT);
constexpr std::size_t kSignalSetBytes = sizeof kAllSignals;  // the kernel's, not libc's
constexpr std::uintptr_t kStackAlignment = 16;
constexpr long kNone = 0;

std::uint64_t ns_of(const timeval& time) noexcept {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(time.tv_usec) * 1'000u;
}

// Written at load, read in the stopped zone. Stands alone, so relaxed.
std::atomic<bool> has_close_range{false};

// What the child reads before it runs the body, in its copy of the parent's stack.
struct ChildStart {
  const ChildPlan* plan;
  long parent_pid;
  bool shares_descriptors;
};

// The kernel's struct sigaction, not libc's. All zero: the default.
struct KernelSigaction {
  void (*handler)(int) = nullptr;
  unsigned long flags = 0;
  void (*restorer)() = nullptr;
  std::uint64_t mask = 0;
};

// How a handler returns. Where the kernel has a page of code for it (all but x86-64), it needs nothing of ours.
#if defined(__x86_64__)
constexpr unsigned long kRestores = 0x04000000;  // SA_RESTORER
[[gnu::naked]] void return_from_handler() noexcept { asm volatile("mov $15, %eax\n\tsyscall"); }
#else
constexpr unsigned long kRestores = 0;
constexpr void (*return_from_handler)() = nullptr;
#endif

// Of the child alone, which has one thread: what its handlers know.
struct Life {
  const std::atomic<bool>* may_outlive = nullptr;
  void (*clean_up)() noexcept = nullptr;
  long parent_pid = 0;
  bool alone = false;
};
constinit Life life;

[[noreturn]] void leave(int status) noexcept {
  while (true) raw_syscall(SYS_exit_group, status);
}

// A handler of the VM's must never run in the child: it would take a null check of compiled code for its own.
void reset_signal_handlers() noexcept {
  const KernelSigaction by_default{};
  for (int signal = 1; signal <= kSignalCount; ++signal)
    raw_syscall(SYS_rt_sigaction, signal, &by_default, kNone, kSignalSetBytes);
}

// RLIMIT_CORE alone does not stop a core_pattern that is a pipe; not being dumpable does.
void leave_no_core() noexcept {
  const rlimit none{0, 0};
  raw_syscall(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0);
  raw_syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, kNone);
}

// Must come before leave_no_core(): what is not dumpable may not write its own files in /proc.
void be_first_when_memory_runs_out() noexcept {
  const int file = raw_open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  raw_syscall(SYS_write, file, "1000", 4);
  raw_close(file);
}

// By the signal, as a child without a handler is.
void on_watchdog(int) noexcept {
  if (life.clean_up != nullptr) life.clean_up();
  raw_syscall(SYS_kill, raw_syscall(SYS_getpid), SIGALRM);
}

// Never longer than the watchdog would have granted.
void go_on_alone() noexcept {
  itimerval left{};
  raw_syscall(SYS_getitimer, ITIMER_REAL, &left);
  life.alone = true;
  if (left.it_value.tv_sec != 0 && left.it_value.tv_sec < static_cast<time_t>(kAloneSeconds))
    return;
  const itimerval once{{0, 0}, {static_cast<time_t>(kAloneSeconds), 0}};
  raw_syscall(SYS_setitimer, ITIMER_REAL, &once, kNone);
}

// Sent at the end of each thread of the parent's that the child is bound to, and by whoever lets a stopped child go on.
void on_parent_change(int) noexcept {
  if (life.alone || raw_syscall(SYS_getppid) == life.parent_pid) return;
  if (life.may_outlive->load(std::memory_order_acquire)) return go_on_alone();
  if (life.clean_up != nullptr) life.clean_up();
  leave(kChildUnfit);
}

void handle(int signal, void (*handler)(int), unsigned long flags) noexcept {
  const KernelSigaction action{handler, flags | kRestores | SA_RESTART | SA_SIGINFO,
                               return_from_handler, kAllSignals & ~signal_bit(signal)};
  raw_syscall(SYS_rt_sigaction, signal, &action, kNone, kSignalSetBytes);
}

// False when the parent was gone before it could be noticed. SIGCONT, because it also wakes a child that the parent had stopped.
bool end_with_parent(const ChildStart& start) noexcept {
  const ChildPlan& plan = *start.plan;
  life = Life{plan.may_outlive, plan.clean_up, start.parent_pid};
  if (plan.clean_up != nullptr) handle(SIGALRM, &on_watchdog, SA_RESETHAND | SA_NODEFER);
  if (plan.may_outlive != nullptr) handle(SIGCONT, &on_parent_change, 0);
  raw_syscall(SYS_prctl, PR_SET_PDEATHSIG, plan.may_outlive != nullptr ? SIGCONT : SIGKILL, 0, 0,
              0);
  return raw_syscall(SYS_getppid) == start.parent_pid;
}

// Everything else stays blocked: a terminal's SIGINT or SIGQUIT goes to the whole group of processes.
bool start_watchdog(std::uint32_t seconds) noexcept {
  const itimerval once{{0, 0}, {static_cast<time_t>(seconds), 0}};
  if (seconds != 0 && raw_syscall(SYS_setitimer, ITIMER_REAL, &once, kNone) != 0) return false;
  return raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kAllBlocked, kNone, kSignalSetBytes) == 0;
}

// Descriptors first: until then the parent's connections may hang on us.
bool set_up(const ChildStart& start) noexcept {
  if (!close_all_descriptors(start.shares_descriptors)) return false;
  reset_signal_handlers();
  be_first_when_memory_runs_out();
  leave_no_core();
  raw_syscall(SYS_prctl, PR_SET_NAME, start.plan->name, 0, 0, 0);
  if (!end_with_parent(start)) return false;
  return start_watchdog(start.plan->watchdog_seconds);
}

void begin_child(void* raw) {
  const auto& start = *static_cast<const ChildStart*>(raw);
  if (!set_up(start)) leave(kChildUnfit);
  leave(start.plan->body(start.plan->argument));
}

std::byte* stack_top(const ChildPlan& plan) noexcept {
  const auto end = reinterpret_cast<std::uintptr_t>(plan.stack) + plan.stack_bytes;
  return plan.stack + plan.stack_bytes - end % kStackAlignment;
}

// Is the number still our child's, running or not? Nothing is reaped.
bool is_our_child(std::int64_t pid) noexcept {
  siginfo_t unread{};
  constexpr int kLook = WEXITED | WNOHANG | WNOWAIT | __WALL;
  return pid > 0 && raw_syscall(SYS_waitid, P_PID, pid, &unread, kLook, kNone) == 0;
}

// Its number cannot become somebody else's between both calls unless a third one reaps it just then.
void signal_child(std::int64_t pid, int signal) noexcept {
  if (is_our_child(pid)) raw_syscall(SYS_kill, pid, signal);
}

}  // namespace

// With the flag CLOSE_RANGE_UNSHARE the call would take the calling thread's descriptors out of the process; what knows the
// call knows the flag (5.9), so it is asked for a descriptor that cannot be.
void prepare_children() noexcept {
  const long answer = raw_syscall(SYS_close_range, ~0u, ~0u, 0u);
  has_close_range.store(answer == 0, std::memory_order_relaxed);
}

std::int64_t spawn_child(const ChildPlan& plan) noexcept {
  if (plan.body == nullptr || plan.stack == nullptr || plan.stack_bytes < kMinChildStackBytes)
    return -EINVAL;
  if (const int error = fault_error(FaultPoint::kFork); error != 0) return -error;
  ChildStart start{&plan, raw_syscall(SYS_getpid), has_close_range.load(std::memory_order_relaxed)};
  // The exit signal is the lowest byte: 0. Untraced: a debugger of the application's is not told to follow.
  const unsigned long flags = CLONE_UNTRACED | (start.shares_descriptors ? CLONE_FILES : 0);
  std::uint64_t before = 0;
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &kAllSignals, &before, kSignalSetBytes);
  const long pid = clone_on_stack(flags, stack_top(plan), &begin_child, &start);
  raw_syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, kNone, kSignalSetBytes);
  return pid;
}

ChildEnd poll_child(std::int64_t pid) noexcept {
  if (pid <= 0) return {ChildState::kLost, 0};
  int status = 0;
  rusage usage{};
  const long answer = raw_syscall(SYS_wait4, pid, &status, WNOHANG | __WALL, &usage);
  if (answer == 0) return {ChildState::kRunning, 0};
  if (answer < 0) return {ChildState::kLost, 0};
  const std::uint64_t cpu_ns = ns_of(usage.ru_utime) + ns_of(usage.ru_stime);
  if (WIFEXITED(status)) return {ChildState::kExited, WEXITSTATUS(status), cpu_ns};
  return {ChildState::kKilled, WTERMSIG(status), cpu_ns};
}

void kill_child(std::int64_t pid) noexcept { signal_child(pid, SIGKILL); }
void hold_child(std::int64_t pid) noexcept { signal_child(pid, SIGSTOP); }
void resume_child(std::int64_t pid) noexcept { signal_child(pid, SIGCONT); }

}  // namespace holdfast::platforms
