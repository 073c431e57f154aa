#include "common/child_watcher.h"

#include "platforms/clock.h"

namespace holdfast {

namespace {

constexpr std::size_t kStackBytes = std::size_t{128} << 10;
constexpr std::uint64_t kLookEveryNs = 500'000;
constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::uint64_t kEarlierNs = kNsPerSecond / 2;

}  // namespace

void ChildWatcher::start() noexcept {
  memory_.open();
  thread_.start("hf-watch", kStackBytes, &ChildWatcher::run, this);
}

void ChildWatcher::run(void* watcher) noexcept {
  auto& self = *static_cast<ChildWatcher*>(watcher);
  while (self.mailbox_.child.load(std::memory_order_acquire) == 0) {
    if (self.called_off_.load(std::memory_order_acquire)) return;
    platforms::sleep_ns(kLookEveryNs);
  }
  self.watch();
}

void ChildWatcher::watch() noexcept {
  const std::uint64_t deadline =
      platforms::monotonic_ns() + watchdog_seconds_ * kNsPerSecond - kEarlierNs;
  end_ = watch_child(mailbox_.child.load(std::memory_order_acquire), mailbox_, memory_, cancel_,
                     deadline);
  mailbox_.gone.store(true, std::memory_order_release);
}

void ChildWatcher::call_off() noexcept {
  called_off_.store(true, std::memory_order_release);
  if (thread_.running()) thread_.join();
}

ChildEndReport ChildWatcher::await(void (*look)(void* context) noexcept, void* context) noexcept {
  if (!thread_.running()) {
    watch();
    return end_;
  }
  LookPause pause;
  while (look != nullptr && !mailbox_.gone.load(std::memory_order_acquire)) {
    look(context);
    pause.sleep();
  }
  thread_.join();
  return end_;
}

}  // namespace holdfast
