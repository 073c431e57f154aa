#include "common/worker_loop.h"

#include <mimalloc.h>
#include <uv.h>

#include "platforms/pages.h"

namespace holdfast {

namespace {

constexpr std::size_t kLoopStackBytes = std::size_t{256} << 10;

// The loop's heap. libuv takes plain functions, so it is a global; only the loop thread touches it.
mi_heap_t* loop_heap = nullptr;

void* heap_malloc(std::size_t bytes) { return mi_heap_malloc(loop_heap, bytes); }
void* heap_realloc(void* old, std::size_t bytes) { return mi_heap_realloc(loop_heap, old, bytes); }
void* heap_calloc(std::size_t count, std::size_t bytes) { return mi_heap_calloc(loop_heap, count, bytes); }

// One arena for the life of the process, aligned as mimalloc wants it; twice the space is reserved to find the place.
bool reserve_arena(mi_arena_id_t& arena) noexcept {
  std::byte* const start = platforms::reserve_pages(2 * WorkerLoop::kSegmentBytes);
  if (start == nullptr) return false;
  const std::size_t before = (WorkerLoop::kSegmentBytes - reinterpret_cast<std::uintptr_t>(start) % WorkerLoop::kSegmentBytes) %
                             WorkerLoop::kSegmentBytes;
  platforms::release_pages(start, before);
  platforms::release_pages(start + before + WorkerLoop::kSegmentBytes, WorkerLoop::kSegmentBytes - before);
  constexpr bool kCommitted = false, kLarge = false, kZero = true, kExclusive = true;
  return mi_manage_os_memory_ex(start + before, WorkerLoop::kSegmentBytes, kCommitted, kLarge, kZero, -1, kExclusive, &arena);
}

bool loop_arena(mi_arena_id_t& arena) noexcept {
  static mi_arena_id_t kept = 0;
  static const bool reserved = reserve_arena(kept);
  arena = kept;
  return reserved;
}

bool make_heap() noexcept {
  mi_arena_id_t arena = 0;
  loop_heap = loop_arena(arena) ? mi_heap_new_in_arena(arena) : nullptr;
  return loop_heap != nullptr && uv_replace_allocator(&heap_malloc, &heap_realloc, &heap_calloc, &mi_free) == 0;
}

void close_handle(uv_handle_t* handle, void*) {
  if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
}

}  // namespace

Result<void> WorkerLoop::reserve(Ledger& ledger) noexcept {
  if (!ledger.charge(MemoryCategory::kWorker, kChargedBytes)) return make_error(ErrorCode::kOutOfBudget, kChargedBytes);
  mi_arena_id_t arena = 0;
  if (!loop_arena(arena)) return make_error(ErrorCode::kOutOfMemory, kSegmentBytes);
  return {};
}

Result<void> WorkerLoop::start() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    phase_ = Phase::kStarting;
    stop_ = false;
  }
  if (const int refused = thread_.start("hf-loop", kLoopStackBytes, &WorkerLoop::run_thread, this); refused != 0)
    return make_error(ErrorCode::kOutOfMemory, refused);
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

void WorkerLoop::run_thread(void* loop) noexcept {
  auto& self = *static_cast<WorkerLoop*>(loop);
  self.report_phase(self.run_loop() ? Phase::kDown : Phase::kFailed);
}

bool WorkerLoop::run_loop() noexcept {
  if (!make_heap()) return false;
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0) return false;
  loop.data = this;
  uv_async_t async;
  const auto wake = [](uv_async_t* handle) {
    auto& self = *static_cast<WorkerLoop*>(handle->data);
    self.run_tasks();
    if (self.stopping()) uv_walk(handle->loop, &close_handle, nullptr);
  };
  const bool usable = uv_async_init(&loop, &async, wake) == 0;
  if (usable) {
    async.data = this;
    async_ = &async;
    report_phase(Phase::kUp);
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop);
  mi_heap_delete(loop_heap);
  loop_heap = nullptr;
  return usable;
}

void WorkerLoop::report_phase(Phase phase) noexcept {
  platforms::MutexLock lock(mutex_);
  phase_ = phase;
  changed_.notify_all();
}

void WorkerLoop::run_tasks() noexcept {
  while (true) {
    Queued next;
    {
      platforms::MutexLock lock(mutex_);
      if (queued_ == 0) return;
      next = queue_[0];
      for (std::size_t i = 1; i < queued_; ++i) queue_[i - 1] = queue_[i];
      --queued_;
    }
    next.task(next.context);
  }
}

bool WorkerLoop::stopping() noexcept {
  platforms::MutexLock lock(mutex_);
  return stop_;
}

bool WorkerLoop::post(Task task, void* context) noexcept {
  platforms::MutexLock lock(mutex_);
  if (phase_ != Phase::kUp || stop_) return false;
  for (std::size_t i = 0; i < queued_; ++i)
    if (queue_[i].task == task && queue_[i].context == context) return true;
  if (queued_ == kMaxTasks) return false;
  queue_[queued_++] = Queued{task, context};
  // Under the lock, so that the loop cannot close the handle in between.
  return uv_async_send(static_cast<uv_async_t*>(async_)) == 0;
}

void WorkerLoop::stop() noexcept {
  {
    platforms::MutexLock lock(mutex_);
    if (phase_ != Phase::kUp || stop_) return;
    stop_ = true;
    uv_async_send(static_cast<uv_async_t*>(async_));
  }
  thread_.join();
}

}  // namespace holdfast
