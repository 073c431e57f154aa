// The event loop thread (libuv): runs small tasks that other threads post, and later timers and the control socket.
// Why: VM events may only post; who obeys a request, and when, is decided on one thread that never calls the VM.
// Shape:  one thread, one uv loop, a queue of at most kMaxTasks different tasks (a task that waits already is not added
//         again). libuv allocates through mimalloc from one arena of kSegmentBytes of address space, reserved at load and
//         kept for the life of the process, because mimalloc cannot give an arena back. It is charged to the ledger as
//         kChargedBytes; what libuv and mimalloc really touch is measured in README.md.
// Zone:   post(): event and worker. start(), stop(): load, VM init, VM death.
// Errors: kOutOfMemory (thread, arena or loop refused). post() answers false when the queue is full or the loop is not up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ledger.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast {

class WorkerLoop {
 public:
  // mimalloc hands out memory in segments of 32 MiB, aligned to 32 MiB.
  static constexpr std::size_t kSegmentBytes = std::size_t{32} << 20;
  static constexpr std::size_t kChargedBytes = std::size_t{512} << 10;
  static constexpr std::size_t kMaxTasks = 16;
  using Task = void (*)(void* context) noexcept;

  WorkerLoop() = default;
  WorkerLoop(const WorkerLoop&) = delete;
  WorkerLoop& operator=(const WorkerLoop&) = delete;
  ~WorkerLoop() { stop(); }

  Result<void> reserve(Ledger& ledger) noexcept;
  Result<void> start() noexcept;
  bool post(Task task, void* context) noexcept;
  void stop() noexcept;

 private:
  struct Queued {
    Task task = nullptr;
    void* context = nullptr;
  };
  enum class Phase : std::uint8_t { kDown, kStarting, kUp, kFailed };

  static void run_thread(void* loop) noexcept;
  bool run_loop() noexcept;
  void report_phase(Phase phase) noexcept;
  void run_tasks() noexcept;
  bool stopping() noexcept;

  void* async_ = nullptr;  // uv_async_t on the loop thread's stack, valid while up
  platforms::Thread thread_;
  platforms::Mutex mutex_;
  platforms::Condition changed_;
  Queued queue_[kMaxTasks] HF_GUARDED_BY(mutex_);
  std::size_t queued_ HF_GUARDED_BY(mutex_) = 0;
  Phase phase_ HF_GUARDED_BY(mutex_) = Phase::kDown;
  bool stop_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast
