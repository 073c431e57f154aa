// A pointer-sized value of each thread, for a library that may be taken out of the process.
// Why not thread_local: a library that is loaded late has its block of those made by malloc at a thread's first look at it, which may be where
//      nothing of ours may allocate. get() never does.
// Shape:  0 until set(). A thread that ends takes its value along; nothing is called for it.
// Zone:   open(), close(): load and end. get(): event, any thread; no allocation, no lock. set(): the system may allocate once a thread.
// Errors: open(): false when the process has no more keys; get() then answers 0, and set() does nothing.
#pragma once

#include <atomic>
#include <cstdint>

namespace holdfast::platforms {

class ThreadValue {
 public:
  ThreadValue() = default;
  ThreadValue(const ThreadValue&) = delete;
  ThreadValue& operator=(const ThreadValue&) = delete;

  bool open() noexcept;
  void close() noexcept;
  std::uintptr_t get() const noexcept;
  void set(std::uintptr_t value) noexcept;

 private:
  std::atomic<std::uint32_t> key_{UINT32_MAX};
};

}  // namespace holdfast::platforms
