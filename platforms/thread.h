// Threads of ours: start, name, low priority; and the lock and the event they wait on.
// Why not std::thread: it throws when the system refuses a thread, and cannot set a stack size.
// Shape:  a Thread owns at most one running thread; join() before destruction. Waits use the monotonic clock.
// Zone:   event, capture, worker, offline; never stopped or child.
// Errors: start() answers an errno value, 0 when it worked.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platforms/thread_safety.h"

namespace holdfast::platforms {

class Thread {
 public:
  using Body = void (*)(void* argument);
  Thread() = default;
  Thread(const Thread&) = delete;
  Thread& operator=(const Thread&) = delete;
  ~Thread();

  // The new thread blocks every signal, so that signals of the application reach its own threads.
  int start(const char* name, std::size_t stack_bytes, Body body, void* argument) noexcept;
  void join() noexcept;
  // Lets the thread go its own way (a VM that exits does not wait for us).
  void detach() noexcept;
  bool running() const noexcept { return running_; }

 private:
  std::uint64_t handle_ = 0;
  bool running_ = false;
};

// CPU time of all threads that were started here, ended ones too; at most kMaxCountedThreads at once, further ones are left out.
inline constexpr std::size_t kMaxCountedThreads = 16;
std::uint64_t own_threads_cpu_ns() noexcept;

// Was the calling thread started by Thread::start()? As long as no more than kMaxCountedThreads run at once.
bool is_own_thread() noexcept;
// The same of the thread that has this number of the system's.
bool is_own_thread(std::uint32_t number) noexcept;

// The system's number of the calling thread.
std::uint32_t thread_number() noexcept;
// What the system calls a thread of this process, cut to the capacity; "" where there is none of that number.
void thread_name(std::uint32_t number, char* out, std::size_t capacity) noexcept;
// The longest that the system keeps, its end included.
inline constexpr std::size_t kThreadNameBytes = 16;
// What the system calls the calling thread. One system call, no allocation, no lock.
void calling_thread_name(char (&out)[kThreadNameBytes]) noexcept;

// The calling thread takes what is left of the cores, and a twentieth of one where all are busy (SCHED_BATCH, nice 14, idle I/O). Not
// SCHED_IDLE: it gets a three-hundredth, and only a privileged process may leave that class again.
void lower_current_thread() noexcept;

class HF_CAPABILITY("mutex") Mutex {
 public:
  Mutex() noexcept;
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;
  void lock() noexcept HF_ACQUIRE();
  void unlock() noexcept HF_RELEASE();

 private:
  friend class Condition;
  alignas(8) std::byte storage_[64];
};

class HF_SCOPED_CAPABILITY MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) noexcept HF_ACQUIRE(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() HF_RELEASE() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

class Condition {
 public:
  Condition() noexcept;
  ~Condition();
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;
  void wait(Mutex& mutex) noexcept HF_REQUIRES(mutex);
  // False when deadline_ns (monotonic) passed first.
  bool wait_until(Mutex& mutex, std::uint64_t deadline_ns) noexcept HF_REQUIRES(mutex);
  void notify_all() noexcept;

 private:
  alignas(8) std::byte storage_[64];
};

}  // namespace holdfast::platforms
