#include "common/worker_loop.h"

#include <mimalloc.h>
#include <uv.h>

#include <algorithm>
#include <bit>

#include "common/time_units.h"
#include "platforms/clock.h"
#include "platforms/file.h"
#include "platforms/pages.h"

namespace holdfast {

namespace {

constexpr std::size_t kLoopStackBytes = std::size_t{256} << 10;
// libuv opens 6 (a lock pipe, epoll, a signal pipe, an eventfd) and calls abort() when it cannot.
constexpr int kLoopDescriptors = 8;
constexpr std::uint64_t kNever = UINT64_MAX;
constexpr std::uint64_t kLongest = kNever / 4;  // so that sums of times cannot overflow

// Twice the space is reserved to find a place that is aligned as mimalloc wants it; the rest goes back.
std::byte* reserve_aligned(std::size_t bytes) noexcept {
  std::byte* const start = platforms::reserve_pages(2 * bytes);
  if (start == nullptr) return nullptr;
  const std::size_t before = (bytes - reinterpret_cast<std::uintptr_t>(start) % bytes) % bytes;
  platforms::release_pages(start, before);
  platforms::release_pages(start + before + bytes, bytes - before);
  return start + before;
}

// A segment of mimalloc's is one thread's, so each loop that may run beside others wants an arena of its own.
std::byte* add_arena() noexcept {
  std::byte* const start = reserve_aligned(WorkerLoop::kArenaBytes);
  if (start == nullptr) return nullptr;
  constexpr bool kCommitted = false, kLarge = false, kZero = true;
  if (mi_manage_os_memory(start, WorkerLoop::kArenaBytes, kCommitted, kLarge, kZero, -1))
    return start;
  platforms::release_pages(start, WorkerLoop::kArenaBytes);
  return nullptr;
}

// Confines our copy of mimalloc to one arena. Not by mi_heap_new_in_arena: in 2.0.9 the heap itself comes from the thread's
// default heap, outside of the arena, and an exclusive arena is committed whole (docs/decisions/010-event-loop-memory.md).
// The copy is ours alone, so it may be configured never to ask the system instead.
std::byte* make_first_arena() noexcept {
  mi_register_output([](const char*, void*) {}, nullptr);  // stderr is the application's
  mi_option_set(mi_option_limit_os_alloc, 1);
  if (uv_replace_allocator(&mi_malloc, &mi_realloc, &mi_calloc, &mi_free) != 0) return nullptr;
  return add_arena();
}

// How many loops there may be at once: two agents of two interfaces in one VM have one each.
class LoopPlaces {
 public:
  bool take() noexcept {
    const platforms::MutexLock lock(mutex_);
    if (taken_ == arenas_) {
      std::byte* const added = arenas_ == 0 ? make_first_arena() : add_arena();
      if (added == nullptr) return false;
      if (arenas_++ == 0) first_ = added;
    }
    ++taken_;
    return true;
  }
  void give_back() noexcept {
    const platforms::MutexLock lock(mutex_);
    --taken_;
  }
  const std::byte* first() noexcept {
    const platforms::MutexLock lock(mutex_);
    return first_;
  }

 private:
  platforms::Mutex mutex_;
  std::byte* first_ HF_GUARDED_BY(mutex_) = nullptr;
  std::size_t arenas_ HF_GUARDED_BY(mutex_) = 0;
  std::size_t taken_ HF_GUARDED_BY(mutex_) = 0;
};

LoopPlaces& loop_places() noexcept {
  static LoopPlaces places;
  return places;
}

void close_handle(uv_handle_t* handle, void*) {
  if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
}

}  // namespace

struct WorkerLoop::Handles {
  uv_loop_t loop;
  uv_async_t async;
  uv_timer_t timer;
  uv_poll_t poll;
  bool poll_used = false;  // until libuv has let go of it
};

Result<void> WorkerLoop::reserve(Ledger& ledger) noexcept {
  if (!ledger.charge(MemoryCategory::kWorker, kBaseBytes))
    return make_error(ErrorCode::kOutOfBudget, kBaseBytes);
  ledger_ = &ledger;
  if (!has_place_) has_place_ = loop_places().take();
  if (!has_place_) return make_error(ErrorCode::kOutOfMemory, kArenaBytes);
  return {};
}

WorkerLoop::~WorkerLoop() {
  stop();
  if (has_place_) loop_places().give_back();
}

// Also asks whether there are descriptors at all: libuv would end the process.
Result<void> WorkerLoop::charge_descriptor_table() noexcept {
  const int highest = platforms::highest_of_next_descriptors(kLoopDescriptors);
  if (highest < 0) return make_error(ErrorCode::kOutOfMemory, -highest);
  return charge_table_for(highest);
}

Result<void> WorkerLoop::charge_table_for(int highest) noexcept {
  const std::uint64_t table =
      std::bit_ceil(static_cast<std::uint64_t>(highest) + 3) * sizeof(void*);
  // A small table fits into the first step. While a larger one grows, the old and the new one are there.
  const std::uint64_t wanted =
      table <= kCommitStepBytes / 8 ? 0 : 2 * std::max<std::uint64_t>(table, kCommitStepBytes);
  if (wanted <= table_bytes_) return {};
  if (!ledger_->charge(MemoryCategory::kWorker, wanted - table_bytes_))
    return make_error(ErrorCode::kOutOfBudget, static_cast<std::int64_t>(wanted));
  table_bytes_ = wanted;
  return {};
}

Result<void> WorkerLoop::start() noexcept {
  if (ledger_ == nullptr || thread_.running()) return make_error(ErrorCode::kRefused);
  HF_CHECK_OK(charge_descriptor_table());
  {
    platforms::MutexLock lock(mutex_);
    phase_ = Phase::kStarting;
    stop_ = false;
  }
  if (const int refused = thread_.start("hf-loop", kLoopStackBytes, &WorkerLoop::run_thread, this);
      refused != 0) {
    report_phase(Phase::kDown);
    return make_error(ErrorCode::kOutOfMemory, refused);
  }
  bool up = false;
  {
    platforms::MutexLock lock(mutex_);
    while (phase_ == Phase::kStarting) changed_.wait(mutex_);
    up = phase_ == Phase::kUp;
  }
  if (up) return {};
  thread_.join();
  return make_error(ErrorCode::kOutOfMemory);
}

void WorkerLoop::stop() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    if (phase_ != Phase::kUp || stop_) return;
    stop_ = true;
    wake();
  }
  thread_.join();
}

// -- loop thread --

void WorkerLoop::run_thread(void* loop) noexcept {
  auto& self = *static_cast<WorkerLoop*>(loop);
  self.report_phase(self.run_loop() ? Phase::kDown : Phase::kFailed);
}

bool WorkerLoop::run_loop() noexcept {
  Handles handles;
  if (uv_loop_init(&handles.loop) != 0) return false;
  const auto on_wake = [](uv_async_t* async) { static_cast<WorkerLoop*>(async->data)->turn(); };
  const bool usable = uv_async_init(&handles.loop, &handles.async, on_wake) == 0;
  if (usable) {
    uv_timer_init(&handles.loop, &handles.timer);  // cannot fail
    handles.async.data = handles.timer.data = this;
    handles_ = &handles;
    report_phase(Phase::kUp);
  }
  uv_run(&handles.loop, UV_RUN_DEFAULT);
  uv_loop_close(&handles.loop);
  platforms::MutexLock lock(mutex_);
  handles_ = nullptr;
  return usable;
}

// One round: what was posted, what is due, then either the end or the next alarm.
void WorkerLoop::turn() noexcept {
  Queued next;
  for (std::size_t i = 0; i < kMaxTasks && take_task(next); ++i) next.task(next.context);
  const std::uint64_t now_ns = platforms::monotonic_ns();
  for (std::size_t i = 0; i < kMaxTimers && take_due(now_ns, next); ++i) next.task(next.context);
  {
    platforms::MutexLock lock(mutex_);
    if (queued_ != 0) {
      wake();  // tasks that post tasks must not keep timers waiting
    } else if (stop_) {
      uv_walk(&handles_->loop, &close_handle, nullptr);
      return;
    }
  }
  const std::uint64_t due_ns = next_due_ns();
  if (due_ns == kNever) {
    uv_timer_stop(&handles_->timer);
    return;
  }
  const std::uint64_t after_ns = due_ns - std::min(due_ns, platforms::monotonic_ns());
  uv_update_time(&handles_->loop);
  const auto on_alarm = [](uv_timer_t* timer) { static_cast<WorkerLoop*>(timer->data)->turn(); };
  uv_timer_start(&handles_->timer, on_alarm, (after_ns + kNsPerMs - 1) / kNsPerMs, 0);
}

void WorkerLoop::report_phase(Phase phase) noexcept {
  platforms::MutexLock lock(mutex_);
  phase_ = phase;
  if (phase == Phase::kDown) {
    queued_ = 0;
    for (Timer& timer : timers_) timer = Timer{};
  }
  changed_.notify_all();
}

bool WorkerLoop::take_task(Queued& out) noexcept {
  platforms::MutexLock lock(mutex_);
  if (queued_ == 0) return false;
  out = queue_[0];
  std::copy(queue_ + 1, queue_ + queued_, queue_);
  --queued_;
  return true;
}

// Timers that are due when the VM goes down are not run any more.
bool WorkerLoop::take_due(std::uint64_t now_ns, Queued& out) noexcept {
  platforms::MutexLock lock(mutex_);
  if (stop_) return false;
  Timer* due = nullptr;
  for (Timer& timer : timers_)
    if (timer.task != nullptr && timer.due_ns <= now_ns &&
        (due == nullptr || timer.due_ns < due->due_ns))
      due = &timer;
  if (due == nullptr) return false;
  out = Queued{due->task, due->context};
  if (due->period_ns == 0)
    *due = Timer{};
  else
    due->due_ns += ((now_ns - due->due_ns) / due->period_ns + 1) * due->period_ns;
  return true;
}

std::uint64_t WorkerLoop::next_due_ns() noexcept {
  platforms::MutexLock lock(mutex_);
  std::uint64_t due_ns = kNever;
  for (const Timer& timer : timers_)
    if (timer.task != nullptr) due_ns = std::min(due_ns, timer.due_ns);
  return due_ns;
}

// libuv calls abort() when the system refuses a watch later on; uv_poll_init() tries one, and nothing changes after that.
Result<void> WorkerLoop::watch_descriptor(int descriptor, Task task, void* context) noexcept {
  if (handles_->poll_used) return make_error(ErrorCode::kRefused);
  HF_CHECK_OK(charge_table_for(descriptor));
  uv_poll_t& poll = handles_->poll;
  if (const int error = uv_poll_init(&handles_->loop, &poll, descriptor); error != 0)
    return make_error(ErrorCode::kIo, -error);
  handles_->poll_used = true;
  poll.data = this;
  watching_ = Queued{task, context};
  const auto on_ready = [](uv_poll_t* ready, int, int) {
    const Queued next = static_cast<WorkerLoop*>(ready->data)->watching_;
    if (next.task != nullptr) next.task(next.context);
  };
  if (const int error = uv_poll_start(&poll, UV_READABLE, on_ready); error != 0) {
    unwatch_descriptor();
    return make_error(ErrorCode::kIo, -error);
  }
  return {};
}

void WorkerLoop::unwatch_descriptor() noexcept {
  watching_ = Queued{};
  if (handles_ == nullptr || !handles_->poll_used) return;  // the loop is down
  auto* const handle = reinterpret_cast<uv_handle_t*>(&handles_->poll);
  if (uv_is_closing(handle) != 0) return;
  uv_close(handle, [](uv_handle_t* closed) {
    static_cast<WorkerLoop*>(closed->data)->handles_->poll_used = false;
  });
}

// -- any thread --

bool WorkerLoop::up() noexcept {
  platforms::MutexLock lock(mutex_);
  return phase_ == Phase::kUp && !stop_;
}

// Under the lock, so that the loop cannot close the handle in between.
bool WorkerLoop::wake() noexcept { return uv_async_send(&handles_->async) == 0; }

bool WorkerLoop::post(Task task, void* context) noexcept {
  platforms::MutexLock lock(mutex_);
  if (phase_ != Phase::kUp || stop_) return false;
  for (std::size_t i = 0; i < queued_; ++i)
    if (queue_[i].task == task && queue_[i].context == context) return true;
  if (queued_ == kMaxTasks) return false;
  queue_[queued_++] = Queued{task, context};
  return wake();
}

bool WorkerLoop::set_timer(Task task, void* context, std::uint64_t delay_ns,
                           std::uint64_t period_ns) noexcept {
  const std::uint64_t now_ns = platforms::monotonic_ns();
  platforms::MutexLock lock(mutex_);
  if (phase_ != Phase::kUp || stop_) return false;
  Timer* place = nullptr;
  for (Timer& timer : timers_) {
    const bool same = timer.task == task && timer.context == context;
    if (same || (timer.task == nullptr && place == nullptr)) place = &timer;
    if (same) break;
  }
  if (place == nullptr) return false;
  *place =
      Timer{task, context, now_ns + std::min(delay_ns, kLongest), std::min(period_ns, kLongest)};
  return wake();
}

void WorkerLoop::clear_timer(Task task, void* context) noexcept {
  platforms::MutexLock lock(mutex_);
  for (Timer& timer : timers_)
    if (timer.task == task && timer.context == context) timer = Timer{};
}

const std::byte* WorkerLoop::arena_start_for_test() noexcept { return loop_places().first(); }

}  // namespace holdfast
