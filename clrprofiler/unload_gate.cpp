#include "clrprofiler/unload_gate.h"

#include "platforms/clock.h"

namespace holdfast::clr {

void UnloadGate::close() noexcept {
  platforms::MutexLock lock(mutex_);
  closed_ = true;
  broken_.store(false, std::memory_order_release);
}

void UnloadGate::open() noexcept {
  platforms::MutexLock lock(mutex_);
  closed_ = false;
  changed_.notify_all();
}

void UnloadGate::pass(std::uint64_t most_wait_ns) noexcept {
  gone_.fetch_add(1, std::memory_order_release);
  moves_.fetch_add(1, std::memory_order_release);
  platforms::MutexLock lock(mutex_);
  const std::uint64_t until = platforms::monotonic_ns() + most_wait_ns;
  while (closed_)
    if (!changed_.wait_until(mutex_, until)) break;
  if (closed_) broken_.store(true, std::memory_order_release);
}

}  // namespace holdfast::clr
