#include "tests/driver/jvmpi_host/raw_monitors.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "tests/driver/jvmpi_host/rules.h"

namespace holdfast::jvmpi_host {

namespace {

using jvmpi::JVMPI_RawMonitor;

struct Monitor {
  std::mutex lock;  // of these members
  std::condition_variable free, notified;
  std::thread::id owner;
  int depth = 0;
  std::uint64_t notifications = 0;

  bool is_mine() const { return depth > 0 && owner == std::this_thread::get_id(); }
  void take(std::unique_lock<std::mutex>& guard, int entered) {
    free.wait(guard, [this] { return depth == 0; });
    owner = std::this_thread::get_id();
    depth = entered;
  }
  int give() {
    free.notify_one();
    return std::exchange(depth, 0);
  }
};

std::mutex& registry_lock() {
  static std::mutex lock;
  return lock;
}
// Never destroyed: threads of the profiler outlive exit().
auto& registry() {
  static auto& monitors = *new std::unordered_map<JVMPI_RawMonitor, std::shared_ptr<Monitor>>;
  return monitors;
}

std::shared_ptr<Monitor> find(JVMPI_RawMonitor monitor, const char* who) {
  const std::lock_guard guard(registry_lock());
  const auto found = registry().find(monitor);
  if (found == registry().end())
    forbidden("%s of %p, which is no monitor", who, static_cast<void*>(monitor));
  return found->second;
}

void expect_mine(const Monitor& monitor, const char* who) {
  if (!monitor.is_mine()) forbidden("%s by a thread that does not own the monitor", who);
}

}  // namespace

JVMPI_RawMonitor create_monitor() {
  auto made = std::make_shared<Monitor>();
  const auto handle = reinterpret_cast<JVMPI_RawMonitor>(made.get());
  const std::lock_guard guard(registry_lock());
  registry().emplace(handle, std::move(made));
  return handle;
}

void enter_monitor(JVMPI_RawMonitor handle) {
  const auto monitor = find(handle, "RawMonitorEnter");
  std::unique_lock guard(monitor->lock);
  if (monitor->is_mine())
    ++monitor->depth;
  else
    monitor->take(guard, 1);
}

void exit_monitor(JVMPI_RawMonitor handle) {
  const auto monitor = find(handle, "RawMonitorExit");
  const std::lock_guard guard(monitor->lock);
  expect_mine(*monitor, "RawMonitorExit");
  if (--monitor->depth == 0) monitor->free.notify_one();
}

void wait_on_monitor(JVMPI_RawMonitor handle, jlong ms) {
  const auto monitor = find(handle, "RawMonitorWait");
  std::unique_lock guard(monitor->lock);
  expect_mine(*monitor, "RawMonitorWait");
  const int entered = monitor->give();
  const std::uint64_t before = monitor->notifications;
  const auto was_notified = [&] { return monitor->notifications != before; };
  if (ms == 0)
    monitor->notified.wait(guard, was_notified);
  else
    monitor->notified.wait_for(guard, std::chrono::milliseconds(ms), was_notified);
  monitor->take(guard, entered);
}

void notify_monitor(JVMPI_RawMonitor handle) {
  const auto monitor = find(handle, "RawMonitorNotifyAll");
  const std::lock_guard guard(monitor->lock);
  expect_mine(*monitor, "RawMonitorNotifyAll");
  ++monitor->notifications;
  monitor->notified.notify_all();
}

void destroy_monitor(JVMPI_RawMonitor handle) {
  const auto monitor = find(handle, "RawMonitorDestroy");
  {
    const std::lock_guard guard(monitor->lock);
    if (monitor->depth > 0 && !monitor->is_mine())
      forbidden("RawMonitorDestroy of a monitor that another thread owns");
  }
  const std::lock_guard guard(registry_lock());
  registry().erase(handle);
}

}  // namespace holdfast::jvmpi_host
