#include "tests/driver/jvmpi_host/gc_switch.h"

#include <atomic>

#include "tests/driver/jvmpi_host/heap_view.h"
#include "tests/driver/jvmpi_host/rules.h"

namespace holdfast::jvmpi_host {

namespace {

int disabled = 0, notifications = 0;
std::atomic<bool> off{false};          // read without the lock
std::atomic<std::uint64_t> period{1};  // counts the times that it went on again

void update() {
  const bool now = disabled + notifications > 0;
  if (off.exchange(now) && !now) {
    ++period;
    end_heap_view();
  }
}

}  // namespace

std::recursive_mutex& host_lock() {
  static std::recursive_mutex lock;
  return lock;
}

bool gc_is_off() { return off; }

bool this_thread_disabled_gc() {
  const ThreadState& me = this_thread();
  return me.gc_disabled > 0 && me.gc_off_period == period;
}

void disable_gc() {
  const std::lock_guard guard(host_lock());
  ThreadState& me = this_thread();
  me.gc_disabled = this_thread_disabled_gc() ? me.gc_disabled + 1 : 1;
  me.gc_off_period = period;
  ++disabled;
  update();
}

void enable_gc() {
  const std::lock_guard guard(host_lock());
  if (disabled == 0) forbidden("EnableGC without DisableGC");
  if (this_thread_disabled_gc()) --this_thread().gc_disabled;
  --disabled;
  update();
}

NotificationWithoutGc::NotificationWithoutGc() {
  const std::lock_guard guard(host_lock());
  ++notifications;
  update();
}

NotificationWithoutGc::~NotificationWithoutGc() {
  const std::lock_guard guard(host_lock());
  --notifications;
  update();
}

}  // namespace holdfast::jvmpi_host
