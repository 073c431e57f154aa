#include "clrprofiler/module_gate.h"

#include "platforms/clock.h"

namespace holdfast::clr {

void ModuleGate::close_unloads() noexcept {
  platforms::MutexLock lock(mutex_);
  unloads_closed_ = true;
  broken_.store(false, std::memory_order_release);
}

void ModuleGate::close_loads() noexcept {
  platforms::MutexLock lock(mutex_);
  loads_closed_ = true;
}

void ModuleGate::open(bool& closed) noexcept {
  platforms::MutexLock lock(mutex_);
  closed = false;
  changed_.notify_all();
}

bool ModuleGate::wait_while(const bool& closed, std::uint64_t most_wait_ns) noexcept {
  platforms::MutexLock lock(mutex_);
  const std::uint64_t until = platforms::monotonic_ns() + most_wait_ns;
  while (closed)
    if (!changed_.wait_until(mutex_, until)) break;
  return !closed;
}

void ModuleGate::pass_unload(std::uint64_t most_wait_ns) noexcept {
  gone_.fetch_add(1, std::memory_order_release);
  moves_.fetch_add(1, std::memory_order_release);
  if (!wait_while(unloads_closed_, most_wait_ns)) broken_.store(true, std::memory_order_release);
}

void ModuleGate::pass_load(std::uint64_t most_wait_ns) noexcept {
  wait_while(loads_closed_, most_wait_ns);
}

bool ModuleGate::loads_closed() noexcept {
  platforms::MutexLock lock(mutex_);
  return loads_closed_;
}

}  // namespace holdfast::clr
