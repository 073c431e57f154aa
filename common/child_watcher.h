// The thread that watches a dump's child from its first millisecond on.
// Why a thread: whoever makes the child is inside the VM, and a collection may keep it there while the application writes to pages
//      that the child shares. This one is no thread of the VM's, and nothing stops it.
// Shape:  start() before the freeze; the child's number comes through the mailbox. Then call_off() or await(), once. That the child
//         is gone is told in the mailbox, to whoever waits for an answer of its.
// Zone:   capture.
// Errors: a system that refuses the thread leaves the watch to await(), on the caller's.
#pragma once

#include <atomic>

#include "common/child_watch.h"
#include "platforms/clock.h"
#include "platforms/thread.h"

namespace holdfast {

// Between two looks at an analysis: 1 ms at first, so that a short one is not waited for, then 10 ms.
class LookPause {
 public:
  void sleep() noexcept { platforms::sleep_ns(looks_++ < kShortLooks ? kShortNs : 10 * kShortNs); }

 private:
  static constexpr std::uint32_t kShortLooks = 200;
  static constexpr std::uint64_t kShortNs = 1'000'000;
  std::uint32_t looks_ = 0;
};

class ChildWatcher {
 public:
  ChildWatcher(ChildMailbox& mailbox, const CancelToken& cancel,
               std::uint32_t watchdog_seconds) noexcept
      : mailbox_(mailbox), cancel_(cancel), watchdog_seconds_(watchdog_seconds) {}

  void start() noexcept;
  // There will be no child.
  void call_off() noexcept;
  // The child is gone and reaped. `look` is called now and then until it is.
  ChildEndReport await(void (*look)(void* context) noexcept = nullptr,
                       void* context = nullptr) noexcept;

 private:
  static void run(void* watcher) noexcept;
  void watch() noexcept;

  ChildMailbox& mailbox_;
  const CancelToken& cancel_;
  const std::uint32_t watchdog_seconds_;  // the child's own; this watch ends it a little earlier
  std::atomic<bool> called_off_{false};
  platforms::MemoryWatch memory_;
  platforms::Thread thread_;
  ChildEndReport end_;
};

}  // namespace holdfast
