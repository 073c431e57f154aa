#include "platforms/thread_value.h"

#include <pthread.h>

namespace holdfast::platforms {

static_assert(sizeof(pthread_key_t) <= sizeof(std::uint32_t));

bool ThreadValue::open() noexcept {
  pthread_key_t key = 0;
  if (pthread_key_create(&key, nullptr) != 0) return false;
  key_.store(key, std::memory_order_release);
  return true;
}

void ThreadValue::close() noexcept {
  const std::uint32_t key = key_.exchange(UINT32_MAX);
  if (key != UINT32_MAX) pthread_key_delete(key);
}

std::uintptr_t ThreadValue::get() const noexcept {
  const std::uint32_t key = key_.load(std::memory_order_acquire);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return key == UINT32_MAX ? 0 : reinterpret_cast<std::uintptr_t>(pthread_getspecific(key));
}

void ThreadValue::set(std::uintptr_t value) noexcept {
  const std::uint32_t key = key_.load(std::memory_order_acquire);
  if (key == UINT32_MAX) return;
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  pthread_setspecific(key, reinterpret_cast<void*>(value));
}

}  // namespace holdfast::platforms
