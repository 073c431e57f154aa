// The event loop thread (libuv): runs small tasks that other threads post, timers, and later the control socket.
// Why: VM events may only post; who obeys a request, and when, is decided on one thread that never calls the VM.
// Shape:  one thread, one uv loop, a queue of at most kMaxTasks different tasks (a task that waits already is not added
//         again), at most kMaxTimers timers.
//         libuv allocates through mimalloc, which is confined to one arena of kArenaBytes of address space for each loop that there is at
//         once, reserved at load and kept for the life of the process, because mimalloc cannot give an arena back. What may be committed
//         of it is charged to the ledger: kBaseBytes at reserve(), and at start() two copies of libuv's table of
//         descriptors, which has 8 bytes for every number up to the highest, ours or not; watch_descriptor() charges what a higher
//         number needs. One descriptor is watched at a time: who has several puts them behind one (platforms/local_socket.h).
// Zone:   post(), set_timer(), clear_timer(), up(): event and worker. watch_descriptor(), unwatch_descriptor(): in a task. start(), stop(): load, VM init, VM death; stop() never in
//         a task. Tasks run in the worker zone.
// Errors: kOutOfBudget; kOutOfMemory (thread, arena or loop refused, or too few descriptors left). post() and set_timer()
//         answer false when there is no room or the loop is not up.
#pragma once

#include <cstddef>
#include <cstdint>

#include "common/ledger.h"
#include "common/result.h"
#include "platforms/thread.h"

namespace holdfast {

class WorkerLoop {
 public:
  // mimalloc takes memory in segments of 32 MiB, aligned to 32 MiB, and commits a segment by 1 MiB at a time.
  static constexpr std::size_t kArenaBytes = std::size_t{32} << 20;
  static constexpr std::size_t kCommitStepBytes = std::size_t{1} << 20;
  // One step, and what mimalloc keeps outside its arena (12 KiB a thread, 4 KiB an arena), rounded up.
  static constexpr std::size_t kBaseBytes = kCommitStepBytes + (std::size_t{64} << 10);
  static constexpr std::size_t kMaxTasks = 16;
  static constexpr std::size_t kMaxTimers = 8;
  using Task = void (*)(void* context) noexcept;

  WorkerLoop() = default;
  WorkerLoop(const WorkerLoop&) = delete;
  WorkerLoop& operator=(const WorkerLoop&) = delete;
  ~WorkerLoop();

  Result<void> reserve(Ledger& ledger) noexcept;
  Result<void> start() noexcept;
  // Tasks run in the order in which they were posted; those that wait when stop() is called still run.
  bool post(Task task, void* context) noexcept;
  // Runs the task after `delay_ns`, and then every `period_ns` (0: once). Setting the same task and context again replaces
  // the timer. A loop that was held up runs a missed period once, not several times.
  bool set_timer(Task task, void* context, std::uint64_t delay_ns,
                 std::uint64_t period_ns = 0) noexcept;
  // The task may be running for the last time when this returns.
  void clear_timer(Task task, void* context) noexcept;
  void stop() noexcept;
  // Does it take tasks? False before start(), and as soon as stop() is called.
  bool up() noexcept;

  // Runs the task whenever the descriptor can be read. kRefused: another is watched, or was until this turn. What libuv watches
  // it watches unchanged until unwatch_descriptor(), which comes before the descriptor is closed.
  Result<void> watch_descriptor(int descriptor, Task task, void* context) noexcept;
  void unwatch_descriptor() noexcept;

  static const std::byte* arena_start_for_test() noexcept;

 private:
  struct Queued {
    Task task = nullptr;
    void* context = nullptr;
  };
  struct Timer {
    Task task = nullptr;  // nullptr: free
    void* context = nullptr;
    std::uint64_t due_ns = 0;
    std::uint64_t period_ns = 0;
  };
  enum class Phase : std::uint8_t { kDown, kStarting, kUp, kFailed };
  struct Handles;  // libuv's, on the loop thread's stack

  static void run_thread(void* loop) noexcept;
  bool run_loop() noexcept;
  void turn() noexcept;
  void report_phase(Phase phase) noexcept;
  Result<void> charge_descriptor_table() noexcept;
  Result<void> charge_table_for(int highest) noexcept;
  bool take_task(Queued& out) noexcept;
  bool take_due(std::uint64_t now_ns, Queued& out) noexcept;
  std::uint64_t next_due_ns() noexcept;
  bool wake() noexcept HF_REQUIRES(mutex_);

  Ledger* ledger_ = nullptr;
  bool has_place_ = false;
  std::uint64_t table_bytes_ =
      0;             // charged for the table of descriptors; the loop thread's once it runs
  Queued watching_;  // loop thread
  platforms::Thread thread_;
  platforms::Mutex mutex_;
  platforms::Condition changed_;
  Handles* handles_ =
      nullptr;  // written by the loop thread before kUp, valid while up, nullptr afterwards
  Queued queue_[kMaxTasks] HF_GUARDED_BY(mutex_);
  std::size_t queued_ HF_GUARDED_BY(mutex_) = 0;
  Timer timers_[kMaxTimers] HF_GUARDED_BY(mutex_);
  Phase phase_ HF_GUARDED_BY(mutex_) = Phase::kDown;
  bool stop_ HF_GUARDED_BY(mutex_) = false;
};

}  // namespace holdfast
