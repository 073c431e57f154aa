#include "platforms/thread.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <new>

#include "platforms/clock.h"
#include "platforms/fault_points.h"
#include "platforms/file.h"
#include "platforms/linux/raw_syscall.h"

namespace holdfast::platforms {

namespace {

// What the new thread needs before it runs the body; lives on the starter's stack until `taken`.
struct StartInfo {
  char name[kThreadNameBytes];
  Thread::Body body;
  void* argument;
  pthread_mutex_t mutex;
  pthread_cond_t taken_changed;
  bool taken;
};

// -- whose CPU time counts as ours --

// Numbers of threads that run, 0: free. The clock of a number that is no thread of ours any more answers an error, so a look at a
// slot never needs a lock; ended threads leave their time in `ended_cpu_ns`.
std::atomic<std::int32_t> counted_threads[kMaxCountedThreads];
std::atomic<std::uint64_t> ended_cpu_ns{0};

std::atomic<std::int32_t>* begin_counting() noexcept {
  const auto number = static_cast<std::int32_t>(raw_syscall(SYS_gettid));
  for (std::atomic<std::int32_t>& slot : counted_threads) {
    std::int32_t unused = 0;
    if (slot.compare_exchange_strong(unused, number, std::memory_order_relaxed)) return &slot;
  }
  return nullptr;
}

void end_counting(std::atomic<std::int32_t>* slot) noexcept {
  if (slot == nullptr) return;
  ended_cpu_ns.fetch_add(thread_cpu_ns(), std::memory_order_relaxed);
  slot->store(0, std::memory_order_relaxed);
}

// The kernel's number of a thread's CPU clock (what pthread_getcpuclockid answers, without asking for a living pthread_t).
clockid_t cpu_clock_of(std::int32_t thread) noexcept {
  constexpr std::uint32_t kPerThreadScheduled = 6;
  return static_cast<clockid_t>((~static_cast<std::uint32_t>(thread) << 3) | kPerThreadScheduled);
}

void* run_thread(void* raw) noexcept {
  auto& info = *static_cast<StartInfo*>(raw);
  const Thread::Body body = info.body;
  void* const argument = info.argument;
  ::pthread_setname_np(::pthread_self(), info.name);
  ::pthread_mutex_lock(&info.mutex);
  info.taken = true;
  ::pthread_cond_signal(&info.taken_changed);
  ::pthread_mutex_unlock(&info.mutex);
  std::atomic<std::int32_t>* const counted = begin_counting();
  body(argument);
  end_counting(counted);
  return nullptr;
}

// Threads inherit the mask, so every signal is blocked around pthread_create.
int create_blocked(pthread_t& thread, std::size_t stack_bytes, StartInfo& info) noexcept {
  pthread_attr_t attributes;
  if (const int error = ::pthread_attr_init(&attributes); error != 0) return error;
  const auto least = static_cast<std::size_t>(::sysconf(_SC_THREAD_STACK_MIN));
  ::pthread_attr_setstacksize(&attributes, stack_bytes < least ? least : stack_bytes);
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = ::pthread_create(&thread, &attributes, &run_thread, &info);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ::pthread_attr_destroy(&attributes);
  return error;
}

pthread_mutex_t* native_mutex(std::byte* storage) noexcept {
  return std::launder(reinterpret_cast<pthread_mutex_t*>(storage));
}
pthread_cond_t* native_condition(std::byte* storage) noexcept {
  return std::launder(reinterpret_cast<pthread_cond_t*>(storage));
}

}  // namespace

Thread::~Thread() { join(); }

int Thread::start(const char* name, std::size_t stack_bytes, Body body, void* argument) noexcept {
  static_assert(sizeof(pthread_t) <= sizeof(handle_));
  if (running_) return EBUSY;
  if (const int error = fault_error(FaultPoint::kThread); error != 0) return error;
  StartInfo info{{}, body, argument, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, false};
  std::strncpy(info.name, name, kThreadNameBytes - 1);
  pthread_t thread{};
  if (const int error = create_blocked(thread, stack_bytes, info); error != 0) return error;
  ::pthread_mutex_lock(&info.mutex);
  while (!info.taken) ::pthread_cond_wait(&info.taken_changed, &info.mutex);
  ::pthread_mutex_unlock(&info.mutex);
  handle_ = static_cast<std::uint64_t>(thread);
  running_ = true;
  return 0;
}

void Thread::join() noexcept {
  if (!running_) return;
  ::pthread_join(static_cast<pthread_t>(handle_), nullptr);
  running_ = false;
}

void Thread::detach() noexcept {
  if (!running_) return;
  ::pthread_detach(static_cast<pthread_t>(handle_));
  running_ = false;
}

std::uint64_t own_threads_cpu_ns() noexcept {
  std::uint64_t sum_ns = ended_cpu_ns.load(std::memory_order_relaxed);
  for (const std::atomic<std::int32_t>& slot : counted_threads) {
    const std::int32_t thread = slot.load(std::memory_order_relaxed);
    timespec spent{};
    if (thread == 0 || ::clock_gettime(cpu_clock_of(thread), &spent) != 0) continue;
    sum_ns += static_cast<std::uint64_t>(spent.tv_sec) * 1'000'000'000 +
              static_cast<std::uint64_t>(spent.tv_nsec);
  }
  return sum_ns;
}

bool is_own_thread() noexcept { return is_own_thread(thread_number()); }

bool is_own_thread(std::uint32_t number) noexcept {
  if (number == 0) return false;
  for (const std::atomic<std::int32_t>& slot : counted_threads)
    if (slot.load(std::memory_order_relaxed) == static_cast<std::int32_t>(number)) return true;
  return false;
}

std::uint32_t thread_number() noexcept {
  return static_cast<std::uint32_t>(raw_syscall(SYS_gettid));
}

void thread_name(std::uint32_t number, char* out, std::size_t capacity) noexcept {
  char path[40];
  std::snprintf(path, sizeof path, "/proc/self/task/%u/comm", number);
  const std::int64_t read = read_small_file(path, out, capacity);
  // A line, whose end takes the place of the zero where the name is the longest.
  std::size_t length = 0;
  const auto most = std::min(static_cast<std::size_t>(read > 0 ? read : 0), capacity - 1);
  while (length < most && out[length] != '\n') ++length;
  out[length] = '\0';
}

void calling_thread_name(char (&out)[kThreadNameBytes]) noexcept {
  out[0] = '\0';
  raw_syscall(SYS_prctl, PR_GET_NAME, out, 0, 0, 0);
  out[kThreadNameBytes - 1] = '\0';
}

// By raw system calls, because the child does this too. Never higher than it is: where an application is nicer, so are we.
void lower_current_thread() noexcept {
  constexpr long kCallingThread = 0;
  constexpr long kNice = 14;         // 45 of 1024: 4.2 % of a core beside one busy thread
  constexpr long kKernelsZero = 20;  // the system call answers 20 - nice
  const sched_param none{};
  if (raw_syscall(SYS_sched_getscheduler, kCallingThread) != SCHED_IDLE)
    raw_syscall(SYS_sched_setscheduler, kCallingThread, SCHED_BATCH, &none);
  if (kKernelsZero - raw_syscall(SYS_getpriority, PRIO_PROCESS, kCallingThread) < kNice)
    raw_syscall(SYS_setpriority, PRIO_PROCESS, kCallingThread, kNice);
  constexpr int kIoprioWhoProcess = 1;
  constexpr int kIoprioIdle = 3 << 13;
  raw_syscall(SYS_ioprio_set, kIoprioWhoProcess, kCallingThread, kIoprioIdle);
}

Mutex::Mutex() noexcept : storage_{} {
  static_assert(sizeof(pthread_mutex_t) <= sizeof(storage_));
  ::pthread_mutex_init(new (storage_) pthread_mutex_t, nullptr);
}
Mutex::~Mutex() { ::pthread_mutex_destroy(native_mutex(storage_)); }
void Mutex::lock() noexcept HF_NO_THREAD_SAFETY_ANALYSIS {
  ::pthread_mutex_lock(native_mutex(storage_));
}
void Mutex::unlock() noexcept HF_NO_THREAD_SAFETY_ANALYSIS {
  ::pthread_mutex_unlock(native_mutex(storage_));
}

Condition::Condition() noexcept : storage_{} {
  static_assert(sizeof(pthread_cond_t) <= sizeof(storage_));
  pthread_condattr_t attributes;
  ::pthread_condattr_init(&attributes);
  ::pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  ::pthread_cond_init(new (storage_) pthread_cond_t, &attributes);
  ::pthread_condattr_destroy(&attributes);
}
Condition::~Condition() { ::pthread_cond_destroy(native_condition(storage_)); }

void Condition::wait(Mutex& mutex) noexcept HF_NO_THREAD_SAFETY_ANALYSIS {
  ::pthread_cond_wait(native_condition(storage_), native_mutex(mutex.storage_));
}

bool Condition::wait_until(Mutex& mutex,
                           std::uint64_t deadline_ns) noexcept HF_NO_THREAD_SAFETY_ANALYSIS {
  const timespec deadline{static_cast<time_t>(deadline_ns / 1'000'000'000u),
                          static_cast<long>(deadline_ns % 1'000'000'000u)};
  return ::pthread_cond_timedwait(native_condition(storage_), native_mutex(mutex.storage_),
                                  &deadline) != ETIMEDOUT;
}

void Condition::notify_all() noexcept { ::pthread_cond_broadcast(native_condition(storage_)); }

}  // namespace holdfast::platforms
